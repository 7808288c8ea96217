//! What is applied laid over what is there: mappings field by field, lists by their items where they are merged so.

use serde_json::Value;
use towpath_merge::Element;
use towpath_schema::Place;

use super::Items;

/// `applied` laid over `live`.
pub(crate) fn merge(live: &Value, applied: &Value, place: Place<'_>) -> Value {
    match (live, applied) {
        (Value::Object(live), Value::Object(applied)) if !place.is_atomic_map() => {
            let mut merged = live.clone();
            for (name, value) in applied {
                let value = match live.get(name) {
                    Some(before) => merge(before, value, place.field(name)),
                    None => value.clone(),
                };
                merged.insert(name.clone(), value);
            }
            Value::Object(merged)
        }
        (Value::Array(live), Value::Array(applied)) => {
            match (Items::of(live, place), Items::of(applied, place)) {
                (Some(live), Some(applied)) => Value::Array(interleave(&live, &applied, place)),
                _ => Value::Array(applied.clone()),
            }
        }
        _ => applied.clone(),
    }
}

/// The applied items in their order; those that only the live list has stay before what they stood before.
fn interleave(live: &Items<'_>, applied: &Items<'_>, place: Place<'_>) -> Vec<Value> {
    let mut merged = Vec::with_capacity(live.0.len().max(applied.0.len()));
    let mut old = live.0.iter().peekable();
    for (element, item) in &applied.0 {
        let next_shared = live.get(element).map(|_| element);
        while let Some((known, before)) = old.peek() {
            if applied.get(known).is_none() {
                merged.push((*before).clone());
            } else if next_shared.is_none() || next_shared == Some(known) {
                break;
            }
            old.next();
        }
        merged.push(combined(live.get(element), item, place));
        old.next_if(|(known, _): &&(Element, &Value)| known == element);
    }
    merged.extend(old.filter(|(known, _)| applied.get(known).is_none()).map(|(_, before)| (*before).clone()));
    merged
}

fn combined(before: Option<&Value>, item: &Value, place: Place<'_>) -> Value {
    before.map_or_else(|| item.clone(), |before| merge(before, item, place.items()))
}
