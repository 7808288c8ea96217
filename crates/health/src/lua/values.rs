//! JSON to Lua and back, as Argo CD maps them.
//!
//! In: null is nothing, so that a null entry is left out of its list. Out: an empty table is a list, keys must
//! be all texts or all the numbers from 1 on, whole numbers have no fraction.

use mlua::{Lua, Table};
use serde_json::{Map, Number, Value};

use super::ScriptError;

/// How deep a script's result may nest.
const DEPTH: usize = 100;

/// How large a result may be, roughly in bytes: more than the server takes.
const LARGEST: usize = 4 * 1024 * 1024;

/// What an entry costs beside its texts.
const ENTRY: usize = 16;

/// Below this, a number with fraction is exactly the whole number that it looks like.
const EXACT: f64 = 9_007_199_254_740_992.0;

pub(super) fn to_lua(lua: &Lua, value: &Value) -> mlua::Result<mlua::Value> {
    Ok(match value {
        Value::Null => mlua::Value::Nil,
        Value::Bool(flag) => mlua::Value::Boolean(*flag),
        Value::Number(number) => number_to_lua(number),
        Value::String(text) => mlua::Value::String(lua.create_string(text)?),
        Value::Array(items) => {
            let table = lua.create_table_with_capacity(items.len(), 0)?;
            for item in items.iter().filter(|item| !item.is_null()) {
                table.raw_push(to_lua(lua, item)?)?;
            }
            mlua::Value::Table(table)
        }
        Value::Object(entries) => {
            let table = lua.create_table_with_capacity(0, entries.len())?;
            for (key, entry) in entries.iter().filter(|(_, entry)| !entry.is_null()) {
                table.raw_set(key.as_str(), to_lua(lua, entry)?)?;
            }
            mlua::Value::Table(table)
        }
    })
}

fn number_to_lua(number: &Number) -> mlua::Value {
    if let Some(whole) = number.as_i64() {
        return mlua::Value::Integer(whole);
    }
    let float = number.as_f64().unwrap_or(f64::NAN);
    whole(float).map_or(mlua::Value::Number(float), mlua::Value::Integer)
}

fn whole(float: f64) -> Option<i64> {
    #[expect(clippy::cast_possible_truncation, reason = "whole and below 2^53")]
    (float.fract() == 0.0 && float.abs() < EXACT).then_some(float as i64)
}

/// The JSON of a table.
pub(super) fn from_lua(table: &Table) -> Result<Value, ScriptError> {
    Reader { left: LARGEST, depth: 0 }.table(table)
}

struct Reader {
    left: usize,
    depth: usize,
}

impl Reader {
    fn value(&mut self, value: &mlua::Value) -> Result<Value, ScriptError> {
        self.spend(ENTRY)?;
        match value {
            mlua::Value::Nil => Ok(Value::Null),
            mlua::Value::Boolean(flag) => Ok(Value::Bool(*flag)),
            mlua::Value::Integer(number) => Ok((*number).into()),
            mlua::Value::Number(float) => match whole(*float) {
                Some(number) => Ok(number.into()),
                None => Number::from_f64(*float).map(Value::Number).ok_or(ScriptError::NotJson("NaN")),
            },
            mlua::Value::String(text) => {
                self.spend(text.as_bytes().len())?;
                Ok(text.to_string_lossy().into())
            }
            mlua::Value::Table(table) => self.table(table),
            other => Err(ScriptError::NotJson(other.type_name())),
        }
    }

    fn table(&mut self, table: &Table) -> Result<Value, ScriptError> {
        self.depth += 1;
        if self.depth > DEPTH {
            return Err(ScriptError::NotJson("a table that nests too deep, maybe in itself"));
        }
        let mut items = Vec::new();
        let mut entries = Map::new();
        for pair in table.pairs::<mlua::Value, mlua::Value>() {
            let (key, value) = pair.map_err(|error| super::sandbox::error_of(&error))?;
            match key {
                mlua::Value::String(key) => {
                    self.spend(key.as_bytes().len())?;
                    entries.insert(key.to_string_lossy(), self.value(&value)?);
                }
                mlua::Value::Integer(index) => items.push((index, self.value(&value)?)),
                _ => {
                    return Err(ScriptError::NotJson("a table with keys that are neither texts nor numbers"));
                }
            }
        }
        self.depth -= 1;
        if !entries.is_empty() {
            return if items.is_empty() {
                Ok(Value::Object(entries))
            } else {
                Err(ScriptError::NotJson("a table with both texts and numbers as keys"))
            };
        }
        items.sort_by_key(|(index, _)| *index);
        if items.iter().zip(1..).any(|((index, _), expected)| *index != expected) {
            return Err(ScriptError::NotJson("a list with gaps"));
        }
        Ok(Value::Array(items.into_iter().map(|(_, item)| item).collect()))
    }

    fn spend(&mut self, cost: usize) -> Result<(), ScriptError> {
        self.left = self.left.checked_sub(cost).ok_or(ScriptError::TooLarge)?;
        Ok(())
    }
}
