//! Typed key/value pairs.

use super::cursor::Cursor;
use crate::error::{Error, Result};
use std::collections::HashMap;

/// Vocabularies have a few hundred thousand entries.
const MAX_ARRAY_ITEMS: u64 = 1 << 24;

/// One metadata value.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// Any unsigned integer type of the format.
    Unsigned(u64),
    /// Any signed integer type of the format.
    Signed(i64),
    /// `FLOAT32` or `FLOAT64`.
    Float(f64),
    /// `BOOL`.
    Bool(bool),
    /// `STRING`.
    String(String),
    /// `ARRAY`.
    Array(Array),
}

/// An array of one element type. Arrays of arrays are not used by any known model and are refused.
#[derive(Debug, Clone, PartialEq)]
pub enum Array {
    /// Unsigned integers of any width.
    Unsigned(Vec<u64>),
    /// Signed integers of any width.
    Signed(Vec<i64>),
    /// Floats of any width.
    Float(Vec<f64>),
    /// Booleans.
    Bool(Vec<bool>),
    /// Strings.
    String(Vec<String>),
}

/// The key/value pairs of a file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Metadata {
    entries: HashMap<String, Value>,
}

impl FromIterator<(String, Value)> for Metadata {
    fn from_iter<I: IntoIterator<Item = (String, Value)>>(entries: I) -> Self {
        Self { entries: entries.into_iter().collect() }
    }
}

impl Metadata {
    pub(super) fn read(cursor: &mut Cursor<'_>, count: u64) -> Result<Self> {
        let mut entries = HashMap::new();
        for _ in 0..count {
            let key = cursor.string("metadata key")?;
            let value_type = cursor.u32(&key)?;
            let value = read_value(cursor, &key, value_type)?;
            if entries.insert(key.clone(), value).is_some() {
                return Err(unusable(&key, "one entry", "two entries of that key"));
            }
        }
        Ok(Self { entries })
    }

    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.entries.get(key)
    }

    /// All keys with their values, in no particular order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.entries.iter().map(|(key, value)| (key.as_str(), value))
    }

    fn require(&self, key: &str, expected: &str) -> Result<&Value> {
        self.get(key).ok_or_else(|| unusable(key, expected, "no such key"))
    }

    /// A required string.
    ///
    /// # Errors
    /// `gguf-metadata` when the key is missing or of another type; the same holds for every getter here.
    pub fn string(&self, key: &str) -> Result<&str> {
        match self.require(key, "a string")? {
            Value::String(text) => Ok(text),
            other => Err(mismatch(key, "a string", other)),
        }
    }

    /// A required non-negative integer of any width.
    pub fn usize(&self, key: &str) -> Result<usize> {
        let expected = "a non-negative integer";
        let value = self.require(key, expected)?;
        let number = match value {
            Value::Unsigned(number) => u32::try_from(*number).ok(),
            Value::Signed(number) => u32::try_from(*number).ok(),
            _ => None,
        };
        number.map(|number| number as usize).ok_or_else(|| mismatch(key, expected, value))
    }

    /// A required finite float.
    pub fn f32(&self, key: &str) -> Result<f32> {
        match self.require(key, "a float")? {
            Value::Float(number) if number.is_finite() => Ok(*number as f32),
            other => Err(mismatch(key, "a finite float", other)),
        }
    }

    /// A required boolean.
    pub fn bool(&self, key: &str) -> Result<bool> {
        match self.require(key, "a boolean")? {
            Value::Bool(value) => Ok(*value),
            other => Err(mismatch(key, "a boolean", other)),
        }
    }

    /// A required array of strings.
    pub fn strings(&self, key: &str) -> Result<&[String]> {
        match self.require(key, "an array of strings")? {
            Value::Array(Array::String(items)) => Ok(items),
            other => Err(mismatch(key, "an array of strings", other)),
        }
    }

    /// A required array of floats.
    pub fn floats(&self, key: &str) -> Result<&[f64]> {
        match self.require(key, "an array of floats")? {
            Value::Array(Array::Float(items)) => Ok(items),
            other => Err(mismatch(key, "an array of floats", other)),
        }
    }

    /// A required array of integers, signed or not.
    pub fn integers(&self, key: &str) -> Result<Vec<i64>> {
        match self.require(key, "an array of integers")? {
            Value::Array(Array::Signed(items)) => Ok(items.clone()),
            Value::Array(Array::Unsigned(items)) => {
                let fits = |item: &u64| i64::try_from(*item);
                items
                    .iter()
                    .map(fits)
                    .collect::<std::result::Result<_, _>>()
                    .map_err(|_| unusable(key, "integers below 2^63", "a larger one"))
            }
            other => Err(mismatch(key, "an array of integers", other)),
        }
    }

    /// `default` when the key is missing, otherwise what `read` makes of it.
    pub fn or<T>(&self, key: &str, default: T, read: impl Fn(&Self, &str) -> Result<T>) -> Result<T> {
        if self.get(key).is_some() { read(self, key) } else { Ok(default) }
    }
}

fn unusable(key: &str, expected: &str, found: &str) -> Error {
    Error::GgufMetadata { key: key.into(), expected: expected.into(), found: found.into() }
}

fn mismatch(key: &str, expected: &str, found: &Value) -> Error {
    let found = match found {
        Value::Unsigned(number) => format!("the integer {number}"),
        Value::Signed(number) => format!("the integer {number}"),
        Value::Float(number) => format!("the float {number}"),
        Value::Bool(value) => format!("the boolean {value}"),
        Value::String(_) => "a string".into(),
        Value::Array(Array::Unsigned(_) | Array::Signed(_)) => "an array of integers".into(),
        Value::Array(Array::Float(_)) => "an array of floats".into(),
        Value::Array(Array::Bool(_)) => "an array of booleans".into(),
        Value::Array(Array::String(_)) => "an array of strings".into(),
    };
    unusable(key, expected, &found)
}

/// Reads one value; the type numbers are `gguf_metadata_value_type` of the format.
fn read_value(cursor: &mut Cursor<'_>, key: &str, value_type: u32) -> Result<Value> {
    Ok(match value_type {
        0 => Value::Unsigned(u8::from_le_bytes(cursor.array(key)?).into()),
        1 => Value::Signed(i8::from_le_bytes(cursor.array(key)?).into()),
        2 => Value::Unsigned(u16::from_le_bytes(cursor.array(key)?).into()),
        3 => Value::Signed(i16::from_le_bytes(cursor.array(key)?).into()),
        4 => Value::Unsigned(cursor.u32(key)?.into()),
        5 => Value::Signed(i32::from_le_bytes(cursor.array(key)?).into()),
        6 => Value::Float(f32::from_le_bytes(cursor.array(key)?).into()),
        7 => Value::Bool(read_bool(cursor, key)?),
        8 => Value::String(cursor.string(key)?),
        9 => Value::Array(read_array(cursor, key)?),
        10 => Value::Unsigned(cursor.u64(key)?),
        11 => Value::Signed(i64::from_le_bytes(cursor.array(key)?)),
        12 => Value::Float(f64::from_le_bytes(cursor.array(key)?)),
        other => return Err(unusable(key, "a value type from 0 to 12", &format!("type {other}"))),
    })
}

fn read_bool(cursor: &mut Cursor<'_>, key: &str) -> Result<bool> {
    match cursor.array::<1>(key)? {
        [0] => Ok(false),
        [1] => Ok(true),
        [other] => Err(unusable(key, "a boolean, 0 or 1", &other.to_string())),
    }
}

fn read_array(cursor: &mut Cursor<'_>, key: &str) -> Result<Array> {
    let element_type = cursor.u32(key)?;
    // Smallest encoding of an element: a count that cannot fit into the rest of the file is refused before any allocation.
    let element_bytes: u64 = match element_type {
        0 | 1 | 7 => 1,
        2 | 3 => 2,
        4..=6 => 4,
        8 | 10..=12 => 8,
        other => {
            return Err(unusable(key, "an array of scalars or strings", &format!("element type {other}")));
        }
    };
    let count = cursor.count(key, MAX_ARRAY_ITEMS)?;
    cursor.require(key, count.saturating_mul(element_bytes))?;
    let c = cursor;
    Ok(match element_type {
        0 => Array::Unsigned(items(count, || Ok(u8::from_le_bytes(c.array(key)?).into()))?),
        1 => Array::Signed(items(count, || Ok(i8::from_le_bytes(c.array(key)?).into()))?),
        2 => Array::Unsigned(items(count, || Ok(u16::from_le_bytes(c.array(key)?).into()))?),
        3 => Array::Signed(items(count, || Ok(i16::from_le_bytes(c.array(key)?).into()))?),
        4 => Array::Unsigned(items(count, || Ok(c.u32(key)?.into()))?),
        5 => Array::Signed(items(count, || Ok(i32::from_le_bytes(c.array(key)?).into()))?),
        6 => Array::Float(items(count, || Ok(f32::from_le_bytes(c.array(key)?).into()))?),
        7 => Array::Bool(items(count, || read_bool(c, key))?),
        8 => Array::String(items(count, || c.string(key))?),
        10 => Array::Unsigned(items(count, || c.u64(key))?),
        11 => Array::Signed(items(count, || Ok(i64::from_le_bytes(c.array(key)?)))?),
        _ => Array::Float(items(count, || Ok(f64::from_le_bytes(c.array(key)?)))?),
    })
}

fn items<T>(count: u64, read: impl FnMut() -> Result<T>) -> Result<Vec<T>> {
    std::iter::repeat_with(read).take(count as usize).collect()
}
