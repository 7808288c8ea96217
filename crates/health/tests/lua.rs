//! Scripts as people write them for Argo CD, and scripts that mean harm.
#![cfg(feature = "lua")]

use std::time::{Duration, Instant};

use jiff::Timestamp;
use serde_json::json;
use towpath_health::argo::{Health, Status};
use towpath_health::{Script, ScriptError};
use towpath_object::Object;

fn health_of(script: &str) -> Result<Option<Health>, ScriptError> {
    let object = Object::new(json!({
        "apiVersion": "v1", "kind": "Thing", "metadata": {"name": "a"},
        "n": 3, "f": 2.5, "w": 4.0, "list": ["a", null, "b"], "map": {"k": null},
    }));
    let now: Timestamp = "2026-03-07T08:09:10Z".parse().expect("a time");
    Script::new(script)?.health(&object.expect("an object"), now)
}

/// What an expression is as a text.
fn eval(expression: &str) -> String {
    let script = format!("return {{status = 'Healthy', message = tostring({expression})}}");
    match health_of(&script) {
        Ok(health) => health.expect("a health").message,
        Err(error) => format!("error: {error}"),
    }
}

#[test]
fn what_scripts_return() {
    let health = |script| health_of(script);
    let some = |status, message: &str| Ok(Some(Health::new(status, message)));
    assert_eq!(health("return {status = 'Degraded', message = 'm'}"), some(Status::Degraded, "m"));
    assert_eq!(health("hs = {} hs.status = 'Missing' return hs"), some(Status::Missing, ""));
    let odd = "the script returned a status that does not exist";
    assert_eq!(health("return {status = 'healthy'}"), some(Status::Unknown, odd));
    assert_eq!(health("return {message = 'm'}"), some(Status::Unknown, odd));
    for none in ["", "return", "return nil", "return {}", "return {'a'}", "return {status = 1}"] {
        assert_eq!(health(none), Ok(None), "{none}");
    }
    // The last value counts.
    assert_eq!(health("return 1, {status = 'Healthy'}"), some(Status::Healthy, ""));
    for wrong in ["return 1", "return 'Healthy'", "return true", "return function() end"] {
        assert!(matches!(health(wrong), Err(ScriptError::Returned { .. })), "{wrong}");
    }
    let odd_keys = [
        "return {a = 1, 2}",
        "return {[3] = 1}",
        "return {[true] = 1}",
        "return {a = print}",
        "return {a = 0/0}",
        "local t = {} t.t = t return t",
    ];
    for odd in odd_keys {
        assert!(matches!(health(odd), Err(ScriptError::NotJson(_))), "{odd} {:?}", health(odd));
    }
}

#[test]
fn errors_have_no_trace() {
    let message = |script| health_of(script).unwrap_err().to_string();
    assert_eq!(message("error('no')"), "script:1: no");
    assert_eq!(message("error('no', 0)"), "no");
    assert_eq!(message("\nreturn obj.a.b"), "script:2: attempt to index a nil value (field 'a')");
    assert_eq!(message("return {"), "script:1: unexpected symbol near <eof>");
}

#[test]
fn values_and_numbers() {
    let cases = [
        ("obj.n", "3"),
        ("obj.f", "2.5"),
        ("obj.w", "4"),
        ("obj.n .. ''", "3"),
        ("#obj.list", "2"),
        ("obj.list[2]", "b"),
        ("obj.map.k", "nil"),
        ("next(obj.map)", "nil"),
        ("6 / 2", "3"),
        ("tonumber('5') .. ''", "5"),
        ("tonumber('5.0') .. ''", "5"),
        ("tonumber('x')", "nil"),
        ("tonumber('ff', 16)", "255"),
        ("string.format('%d of %s', 6 / 2, 4 / 2)", "3 of 2"),
        ("math.floor(2.7)", "2"),
        ("math.huge", "inf"),
        ("math.pow(2, 3)", "8"),
        ("_VERSION", "Lua 5.1"),
    ];
    for (expression, expected) in cases {
        assert_eq!(eval(expression), expected, "{expression}");
    }
}

#[test]
fn the_libraries() {
    let cases = [
        ("table.getn({1, 2})", "2"),
        ("table.maxn({1, [5] = 1})", "5"),
        ("table.concat({1, 'b', 4 / 2}, '-')", "1-b-2"),
        ("select(2, unpack({1, 2}))", "2"),
        ("table.remove({1, 2})", "2"),
        ("(function() local t = {3, 1, 2} table.sort(t) return table.concat(t) end)()", "123"),
        (
            "(function() local t = {3, 1} table.sort(t, function(a, b) return a > b end) return t[1] end)()",
            "3",
        ),
        (
            "(function() local t = {1, 3} table.insert(t, 2, 2) table.insert(t, 4) return table.concat(t) end)()",
            "1234",
        ),
        ("(function() local t = {1, 2, 3} table.remove(t, 1) return table.concat(t) end)()", "23"),
        ("('abc'):find('b')", "2"),
        ("('a.c'):find('.', 2, true)", "2"),
        ("('abc'):match('(%a)c')", "b"),
        ("('key=val'):gsub('(%w+)=(%w+)', '%2=%1')", "val=key"),
        ("('abc'):upper():rep(2)", "ABCABC"),
        ("('abc'):gsub('%w', {a = 1, b = true and 'x'})", "1xc"),
        ("('abc'):gsub('', '-')", "-a-b-c-"),
        ("('hello'):gsub('l', function(c) return c:upper() end, 1)", "heLlo"),
        (
            "(function() local s = '' for w in ('a bc d'):gmatch('%a+') do s = s .. w .. ';' end return s end)()",
            "a;bc;d;",
        ),
        ("string.sub('abc', -2)", "bc"),
        ("string.len('abc')", "3"),
        ("('abc'):byte()", "97"),
        ("pcall(error, 'x')", "false"),
        ("select(2, pcall(error, 'x', 0))", "x"),
        ("select(2, xpcall(function() error('x', 0) end, function(e) return e .. '!' end))", "x!"),
        ("getmetatable(setmetatable({}, {a = 1})).a", "1"),
        ("type(print('x'))", "error"),
    ];
    for (expression, expected) in cases {
        let ours = eval(expression);
        assert!(ours == expected || expected == "error" && ours.starts_with("error"), "{expression}: {ours}");
    }
    let with_goto = "for i = 1, 3 do if i == 2 then goto continue end n = (n or 0) + i ::continue:: end
        return {status = 'Healthy', message = tostring(n)}";
    assert_eq!(health_of(with_goto).unwrap().unwrap().message, "4");
}

#[test]
fn the_time_is_the_callers() {
    let cases = [
        ("os.date('!%Y-%m-%dT%XZ')", "2026-03-07T08:09:10Z"),
        ("os.date('!%y%m%d%H%M%S')", "260307080910"),
        ("os.time()", "1772870950"),
        ("require('os').date('%F', 0)", "1970-01-01"),
        ("os.time({year = 2026, month = 3, day = 7, hour = 8, min = 9, sec = 10})", "1772870950"),
        ("os.time({year = 2025, month = 15, day = 7, hour = 0})", "1772841600"),
        ("os.date('*t').wday", "7"),
        ("os.date('%a %b %p %% %q')", "Sat Mar AM % %q"),
        ("os.getenv", "nil"),
    ];
    for (expression, expected) in cases {
        assert_eq!(eval(expression), expected, "{expression}");
    }
}

#[test]
fn nothing_outside_can_be_reached() {
    let absent = [
        "io",
        "os.exit",
        "os.execute",
        "os.getenv",
        "os.remove",
        "package",
        "debug",
        "dofile",
        "loadfile",
        "load",
        "loadstring",
        "collectgarbage",
        "coroutine",
        "string.dump",
        "ffi",
        "jit",
        "utf8",
        "warn",
    ];
    for name in absent {
        assert_eq!(eval(name), "nil", "{name}");
    }
    assert!(eval("require('io')").starts_with("error"));
    assert!(eval("os.exit(1)").starts_with("error"));
    assert!(eval("io.open('/etc/passwd')").starts_with("error"));
    // One run leaves nothing behind for the next.
    health_of("string.find = nil leak = 1 return {}").unwrap();
    assert_eq!(eval("('a'):find('a')"), "1");
    assert_eq!(eval("leak"), "nil");
}

/// Scripts that never end or take all there is.
const HOSTILE: &[&str] = &[
    "while true do end",
    "while true do pcall(function() while true do end end) end",
    "while true do xpcall(function() while true do end end, function() while true do end end) end",
    "local f f = function() return pcall(f) end while true do f() end",
    "repeat until false",
    "::again:: goto again",
    "return {status = ('x'):rep(2147483648)}",
    "return {status = ('x'):rep(1 << 40)}",
    "local s = 'x' while true do s = s .. s end",
    "local s = ('x'):rep(20000000) while true do local t = s .. 'y' end",
    "local t = {} while true do t[#t + 1] = {} end",
    "local t = {} for i = 1, 1e9 do t[i] = i end",
    "local t = {} for i = 0, 61 do t[1 << i] = 1 end while true do table.insert(t, 1, 1) end",
    "local t = setmetatable({}, {__len = function() return 1 << 60 end}) table.insert(t, 1, 1) table.concat(t) while true do table.sort(t, rawequal) end",
    "local t = {} for i = 1, 100000 do t[i] = i % 7 end while true do table.sort(t, function(a, b) return true end) end",
    "table.unpack({}, 1, 100000000)",
    "local function f() return 1 + f() end f()",
    "local t = setmetatable({}, {__index = function(t, k) return t[k] end}) return t.x",
    "local t = setmetatable({}, {}) getmetatable(t).__index = t return t.x .. t.y",
    "return {status = ('a'):rep(100000):match(('a*'):rep(100) .. 'b')}",
    "return {status = ('a'):rep(5000):find(('.-'):rep(20) .. 'b')}",
    "return {status = ('('):rep(1000000):find('%b()')}",
    "local s = ('a'):rep(1000000) return {status = s:find(('a'):rep(500000) .. 'b', 1, true)}",
    "return {status = ('a'):rep(1000000):gsub('', ('x'):rep(1000))}",
    "return setmetatable({}, {__gc = function() while true do end end})",
    "local t = {} setmetatable(t, {__gc = true}) getmetatable(t).__gc = function() while true do end end t = nil",
    "local t <close> = setmetatable({}, {__close = function() while true do end end})",
    "return setmetatable({}, {__pairs = function() while true do end end, __index = function() while true do end end})",
    "local t = {} local u = t for i = 1, 100000 do u.u = {} u = u.u end return t",
    "local t = {} for i = 1, 1000000 do t[i] = 'x' end return t",
    "local s = ('x'):rep(1000000) local t = {} for i = 1, 1000 do t[i] = s end return t",
    "return tostring(setmetatable({}, {__tostring = function() while true do end end}))",
    "return ('%s'):format(setmetatable({}, {__tostring = function() while true do end end}))",
    "error(setmetatable({}, {__tostring = function() while true do end end}))",
    "os.exit(1)",
    "return {status = io.open('/etc/passwd'):read('a')}",
    "return dofile('/etc/passwd')",
];

#[test]
fn hostile_scripts_end_in_time() {
    for script in HOSTILE {
        let start = Instant::now();
        let outcome = health_of(script);
        let took = start.elapsed();
        let harmless = matches!(outcome, Ok(None)) && script.contains("set");
        assert!(outcome.is_err() || harmless, "{script}: {outcome:?}");
        assert!(took < Duration::from_secs(1), "{script}: {took:?}");
    }
    // All of them one after the other: what they took is given back, and never more than the limit at once.
    #[cfg(target_os = "linux")]
    {
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
        let peak: u64 = peak.trim().trim_end_matches(" kB").parse().unwrap();
        assert!(peak < 256 * 1024, "{peak} kB");
    }
}
