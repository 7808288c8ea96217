//! One run of one script: a new interpreter with limits, which nothing outlives but the result.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use mlua::chunk::ChunkMode;
use mlua::{Error, Function, HookTriggers, Lua, LuaOptions, LuaString, MultiValue, StdLib, Table, VmState};
use serde_json::Value;

use super::pattern::{self, Budget, Capture, Fault, Found};
use super::{Returned, ScriptError, clock, values};

/// Memory of one run, its object included.
const MEMORY: usize = 64 * 1024 * 1024;

/// Instructions of one run: a tenth of a second or so.
const INSTRUCTIONS: u64 = 20_000_000;

/// Steps of one run within patterns.
const STEPS: u64 = 10_000_000;

/// A run that is slow in other ways, such as copying large texts, ends by the clock.
const TIME: Duration = Duration::from_millis(500);

/// How often the limits are looked at. Few enough that even instructions that copy megabytes stay in time.
const EVERY: u32 = 64;

/// The prelude and the names it is shown under in messages.
const PRELUDE: &str = include_str!("prelude.lua");

static COMPILED_PRELUDE: LazyLock<Arc<[u8]>> =
    LazyLock::new(|| compile(PRELUDE, "=prelude").expect("the prelude is tested"));

/// Compiles a script; messages call it by `name`.
pub(super) fn compile(text: &str, name: &str) -> Result<Arc<[u8]>, ScriptError> {
    let lua = Lua::new_with(StdLib::NONE, LuaOptions::new()).map_err(|error| error_of(&error))?;
    lua.set_memory_limit(MEMORY).map_err(|error| error_of(&error))?;
    // Text only: compiled code from elsewhere could do anything.
    let chunk = lua.load(text).set_name(name).set_mode(ChunkMode::Text);
    let function = chunk.into_function().map_err(|error| match error {
        Error::SyntaxError { message, .. } => ScriptError::Syntax(message),
        other => error_of(&other),
    })?;
    Ok(function.dump(false).into())
}

/// Runs compiled code with the globals `obj` and `actionParams`.
pub(super) fn run<'a>(
    code: &[u8],
    object: &Value,
    parameters: impl Iterator<Item = (&'a str, &'a str)>,
    now: Timestamp,
) -> Result<Returned, ScriptError> {
    let limits = Rc::new(Limits::start());
    let outcome = in_new_state(code, object, parameters, now, &limits);
    if limits.exhausted.get() { Err(ScriptError::TooLong) } else { outcome }
}

fn in_new_state<'a>(
    code: &[u8],
    object: &Value,
    parameters: impl Iterator<Item = (&'a str, &'a str)>,
    now: Timestamp,
    limits: &Rc<Limits>,
) -> Result<Returned, ScriptError> {
    let lua = Lua::new_with(StdLib::TABLE | StdLib::STRING | StdLib::MATH, LuaOptions::new())
        .map_err(|error| error_of(&error))?;
    let last = || -> mlua::Result<mlua::Value> {
        lua.set_memory_limit(MEMORY)?;
        let globals = globals(&lua, now, limits)?;
        globals.raw_set("obj", values::to_lua(&lua, object)?)?;
        globals.raw_set("actionParams", lua.create_table_from(parameters)?)?;
        let chunk = lua.load(code).set_mode(ChunkMode::Binary).set_environment(globals).into_function()?;
        watch(&lua, limits)?;
        let mut returned: MultiValue = chunk.call(())?;
        lua.remove_hook();
        Ok(returned.pop_back().unwrap_or(mlua::Value::Nil))
    };
    match last().map_err(|error| error_of(&error))? {
        mlua::Value::Nil => Ok(Returned::Nothing),
        mlua::Value::Table(table) => values::from_lua(&table).map(Returned::Table),
        other => Ok(Returned::Other(other.type_name())),
    }
}

/// What a script finds around it.
fn globals(lua: &Lua, now: Timestamp, limits: &Rc<Limits>) -> mlua::Result<Table> {
    let seek = {
        let limits = Rc::clone(limits);
        lua.create_function(
            move |lua, (text, pattern, from, last_end, plain): (LuaString, LuaString, usize, usize, bool)| {
                let (text, pattern) = (text.as_bytes(), pattern.as_bytes());
                let from = from.saturating_sub(1);
                let found = if plain {
                    pattern::search_plain(&text, &pattern, from, &limits.patterns)
                } else {
                    pattern::search(&text, &pattern, from, last_end.checked_sub(1), &limits.patterns)
                };
                match found {
                    Ok(found) => captured(lua, &text, found),
                    Err(Fault::Malformed(why)) => Err(Error::runtime(why)),
                    Err(Fault::Exhausted) => Err(limits.exhaust()),
                }
            },
        )?
    };
    let guarded = {
        let limits = Rc::clone(limits);
        lua.create_function(move |lua, (called, arguments): (mlua::Value, MultiValue)| {
            let outcome = match called {
                mlua::Value::Function(called) => called.call::<MultiValue>(arguments),
                other => Err(Error::runtime(format!("attempt to call a {} value", other.type_name()))),
            };
            match outcome {
                Ok(mut returned) => {
                    returned.push_front(mlua::Value::Boolean(true));
                    Ok(returned)
                }
                // The end of a run cannot be caught.
                Err(error) if limits.exhausted.get() => Err(error),
                Err(error) => {
                    let message = lua.create_string(error_of(&error).to_string())?;
                    let pair = [mlua::Value::Boolean(false), mlua::Value::String(message)];
                    Ok(pair.into_iter().collect())
                }
            }
        })?
    };
    let time = lua.create_function(move |_, fields: Option<Table>| clock::time(now, fields.as_ref()))?;
    let date = lua.create_function(move |lua, arguments: MultiValue| clock::date(lua, now, &arguments))?;
    let prelude: Function = lua.load(&**COMPILED_PRELUDE).set_mode(ChunkMode::Binary).into_function()?;
    prelude.call((seek, guarded, time, date))
}

/// First and last position from 1, then the captures.
fn captured(lua: &Lua, text: &[u8], found: Option<Found>) -> mlua::Result<MultiValue> {
    let Some(found) = found else { return Ok(MultiValue::from_iter([mlua::Value::Nil])) };
    let place = [found.place.start + 1, found.place.end];
    let mut all: Vec<mlua::Value> = place.map(position).to_vec();
    for capture in found.captures {
        all.push(match capture {
            Capture::Position(at) => position(at + 1),
            Capture::Text(start, length) => {
                let caught = text.get(start..start + length).unwrap_or_default();
                mlua::Value::String(lua.create_string(caught)?)
            }
            Capture::Open(_) => return Err(Error::runtime("unfinished capture")),
        });
    }
    Ok(all.into_iter().collect())
}

fn position(at: usize) -> mlua::Value {
    mlua::Value::Integer(i64::try_from(at).unwrap_or(i64::MAX))
}

/// Ends the run when it has had enough.
fn watch(lua: &Lua, limits: &Rc<Limits>) -> mlua::Result<()> {
    let limits = Rc::clone(limits);
    lua.set_hook(HookTriggers::new().every_nth_instruction(EVERY), move |_, _| {
        let left = limits.instructions.get().checked_sub(u64::from(EVERY));
        limits.instructions.set(left.unwrap_or_default());
        if left.is_none() || limits.started.elapsed() > TIME {
            return Err(limits.exhaust());
        }
        Ok(VmState::Continue)
    })
}

/// What is left for a run.
struct Limits {
    started: Instant,
    instructions: Cell<u64>,
    patterns: Budget,
    exhausted: Cell<bool>,
}

impl Limits {
    fn start() -> Self {
        let started = Instant::now();
        Self {
            started,
            instructions: Cell::new(INSTRUCTIONS),
            patterns: Budget::new(STEPS, started + TIME),
            exhausted: Cell::new(false),
        }
    }

    /// From now on nothing in this run is caught.
    fn exhaust(&self) -> Error {
        self.exhausted.set(true);
        Error::runtime("the script takes too long")
    }
}

/// What an interpreter's error means: its message without the places it went through.
pub(super) fn error_of(error: &Error) -> ScriptError {
    match error {
        Error::MemoryError(_) => ScriptError::TooMuchMemory,
        Error::CallbackError { cause, .. } => error_of(cause),
        Error::RuntimeError(message) => {
            let message = message.split("\nstack traceback:").next().unwrap_or_default();
            ScriptError::Failed(message.to_owned())
        }
        other => ScriptError::Failed(other.to_string()),
    }
}
