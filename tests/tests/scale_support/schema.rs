//! Checks a report against its JSON Schema: the part of the language that the schema uses.

use serde_json::Value;

const SCHEMA: &str = include_str!("../../../docs/report.schema.json");

/// Whether a report has the keys and types that the schema promises, and no others.
pub fn conforms(report: &Value) -> Result<(), String> {
    let schema: Value = serde_json::from_str(SCHEMA).expect("valid JSON");
    check(report, &schema, &schema, "report")
}

fn check(value: &Value, rule: &Value, root: &Value, place: &str) -> Result<(), String> {
    let words = ["$ref", "anyOf", "const", "type", "required", "properties", "items"];
    let others = ["$schema", "$defs", "title", "description", "additionalProperties", "examples"];
    for word in rule.as_object().expect("a rule").keys() {
        assert!(words.contains(&&**word) || others.contains(&&**word), "{word} is not checked");
    }
    if let Some(path) = rule["$ref"].as_str() {
        let rule = root.pointer(path.trim_start_matches('#')).expect("a definition");
        return check(value, rule, root, place);
    }
    if let Some(rules) = rule["anyOf"].as_array() {
        let any = rules.iter().any(|rule| check(value, rule, root, place).is_ok());
        return if any { Ok(()) } else { Err(format!("{place} is {value}")) };
    }
    if let Some(wanted) = rule.get("const").filter(|wanted| *wanted != value) {
        return Err(format!("{place} is {value}, not {wanted}"));
    }
    let types = match &rule["type"] {
        Value::Array(types) => types.clone(),
        Value::Null => Vec::new(),
        one => vec![one.clone()],
    };
    if !types.is_empty() && !types.iter().any(|name| name == type_of(value)) {
        return Err(format!("{place} is {value}, not one of {types:?}"));
    }
    if let Some(object) = value.as_object() {
        for key in rule["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
            if !object.contains_key(key) {
                return Err(format!("{place} has no {key:?}"));
            }
        }
        for (key, value) in object {
            let place = format!("{place}/{key}");
            match (&rule["properties"][key], &rule["additionalProperties"]) {
                (Value::Null, Value::Bool(false)) => return Err(format!("has {place}")),
                (Value::Null, Value::Null) => {}
                (Value::Null, rule) | (rule, _) => check(value, rule, root, &place)?,
            }
        }
    }
    if let Some(rule) = rule.get("items") {
        for (index, item) in value.as_array().into_iter().flatten().enumerate() {
            check(item, rule, root, &format!("{place}/{index}"))?;
        }
    }
    Ok(())
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}
