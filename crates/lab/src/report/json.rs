//! The report as JSON. Charts are left out: their numbers are in the tables.
//!
//! The keys are stable, and described by `docs/report.schema.json`. A change of their meaning
//! raises [`SCHEMA`].

use serde::ser::{Serialize, SerializeMap as _, SerializeStruct as _, Serializer};

use super::{Cell, Report, Section};
use crate::stats::Estimate;

/// Version of the format, in the key `schema`.
const SCHEMA: u32 = 4;

/// The whole report.
pub fn write(report: &Report) -> serde_json::Result<String> {
    serde_json::to_string_pretty(report).map(|text| text + "\n")
}

impl Serialize for Report {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_struct("Report", 7)?;
        object.serialize_field("schema", &SCHEMA)?;
        object.serialize_field("title", &self.title)?;
        object.serialize_field("command", &self.command)?;
        object.serialize_field("interrupted", &self.interrupted)?;
        let facts = self.facts.iter().map(|(name, value)| (name.as_str(), value));
        object.serialize_field("facts", &Members(facts.collect()))?;
        object.serialize_field("highlights", &self.highlights)?;
        object.serialize_field("sections", &self.sections)?;
        object.end()
    }
}

impl Serialize for Section {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let keys = self.table.keys();
        let keys = || keys.iter().map(String::as_str);
        let rows: Vec<_> =
            self.table.rows.iter().map(|row| Members(keys().zip(row).collect())).collect();
        let mut object = serializer.serialize_struct("Section", 5)?;
        object.serialize_field("name", &self.name)?;
        object.serialize_field("title", &self.title)?;
        object.serialize_field("text", &self.text)?;
        object.serialize_field("notes", &self.notes)?;
        object.serialize_field("rows", &rows)?;
        object.end()
    }
}

impl Serialize for Cell {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Cell::Text(text) => serializer.serialize_str(text),
            Cell::Count(count) => serializer.serialize_u64(*count),
            Cell::Number(value, _) => serializer.serialize_f64(*value),
            Cell::Estimate(Estimate { value, low, high }, _) => {
                Members(vec![("value", value), ("low", low), ("high", high)]).serialize(serializer)
            }
            Cell::Missing => serializer.serialize_none(),
        }
    }
}

/// An object whose members keep their order.
struct Members<'a, T>(Vec<(&'a str, &'a T)>);

impl<T: Serialize> Serialize for Members<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in &self.0 {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn estimates_are_objects_and_nothing_is_infinite() {
        let mut report = crate::report::example();
        report.sections[0].table.rows[0][2] = Cell::Number(f64::INFINITY, 0);
        let json: Value = serde_json::from_str(&write(&report).unwrap()).unwrap();
        let rows = &json["sections"][0]["rows"];
        assert_eq!(rows[1]["speed-up"]["value"], 1.8);
        assert_eq!(rows[0]["nodes"], Value::Null);
        assert_eq!(rows[1]["what"], Value::Null);
        assert_eq!(json["schema"], SCHEMA);
        let tile = &json["highlights"][0];
        assert_eq!((&tile["value"], &tile["text"]), (&Value::from(1.8), &Value::from("1.80 ×")));
        assert!(tile["low"].as_f64() < tile["high"].as_f64(), "{tile}");
    }
}
