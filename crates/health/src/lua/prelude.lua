-- What a script finds around it. In: four functions of the host. Out: the script's globals.
--
-- Whatever loops over a script's data is written in Lua here, as the host counts Lua's instructions: the loops
-- of the C library cannot be stopped. Tables are taken raw, as Argo CD's interpreter does.
local seek, guarded, time, date = ...

local assert, error, getmetatable, ipairs, next, pairs = assert, error, getmetatable, ipairs, next, pairs
local rawequal, rawget, rawlen, rawset, select = rawequal, rawget, rawlen, rawset, select
local setmetatable, tonumber, tostring, type = setmetatable, tonumber, tostring, type
local concat, sort, unpack = table.concat, table.sort, table.unpack
local byte, char, format, len, lower, rep = string.byte, string.char, string.format, string.len, string.lower, string.rep
local reverse, sub, upper, whole_of = string.reverse, string.sub, string.upper, math.tointeger

-- More are not sorted: comparisons by C functions are not counted.
local most_sorted = 100000

-- 3.0 to 3, as there is only one kind of number in Lua 5.1.
local function whole(value)
  if type(value) == "number" then return whole_of(value) or value end
  return value
end

local function all_whole(first, ...)
  if select("#", ...) == 0 then return whole(first) end
  return whole(first), all_whole(...)
end

local function check_list(list, name)
  if type(list) ~= "table" then
    error("bad argument #1 to '" .. name .. "' (table expected, got " .. type(list) .. ")", 3)
  end
end

local lists = { unpack = unpack }

function lists.getn(list)
  check_list(list, "getn")
  return rawlen(list)
end

function lists.maxn(list)
  check_list(list, "maxn")
  local most = 0
  for key in next, list do
    if type(key) == "number" and key > most then most = key end
  end
  return most
end

function lists.insert(list, ...)
  check_list(list, "insert")
  local length, count = rawlen(list), select("#", ...)
  local at, value = ...
  if count == 1 then at, value = length + 1, at end
  if count < 1 or count > 2 then error("wrong number of arguments to 'insert'", 2) end
  if type(at) ~= "number" or at < 1 or at > length + 1 then
    error("bad argument #2 to 'insert' (position out of bounds)", 2)
  end
  for index = length, at, -1 do rawset(list, index + 1, rawget(list, index)) end
  rawset(list, at, value)
end

function lists.remove(list, at)
  check_list(list, "remove")
  local length = rawlen(list)
  at = at or length
  if at < 1 or at > length then return nil end
  local removed = rawget(list, at)
  for index = at, length - 1 do rawset(list, index, rawget(list, index + 1)) end
  rawset(list, length, nil)
  return removed
end

function lists.concat(list, separator, first, last)
  check_list(list, "concat")
  local parts, count = {}, 0
  for index = first or 1, last or rawlen(list) do
    local part = rawget(list, index)
    if type(part) ~= "string" and type(part) ~= "number" then
      error("invalid value (at index " .. index .. ") in table for 'concat'", 2)
    end
    count = count + 1
    parts[count] = whole(part)
  end
  return concat(parts, separator)
end

function lists.sort(list, before)
  check_list(list, "sort")
  local length, copy = rawlen(list), {}
  if length > most_sorted then error("too many values to sort", 2) end
  for index = 1, length do copy[index] = rawget(list, index) end
  sort(copy, before)
  for index = 1, length do rawset(list, index, copy[index]) end
end

local strings = { byte = byte, char = char, len = len, lower = lower, rep = rep, reverse = reverse, sub = sub, upper = upper }

function strings.format(form, ...)
  if select("#", ...) == 0 then return format(form) end
  return format(form, all_whole(...))
end

-- Where to start, from 1; nil behind the end.
local function start_of(text, from)
  from = from or 1
  if from < 0 then from = len(text) + from + 1 end
  if from < 1 then from = 1 end
  if from <= len(text) + 1 then return from end
end

function strings.find(text, pattern, from, plain)
  from = start_of(text, from)
  if from then return seek(text, pattern, from, 0, plain and true or false) end
end

-- The captures of what seek found, or the whole of it.
local function captures(text, first, last, ...)
  if not first then return nil end
  if select("#", ...) == 0 then return sub(text, first, last) end
  return ...
end

function strings.match(text, pattern, from)
  from = start_of(text, from)
  if from then return captures(text, seek(text, pattern, from, 0, false)) end
end

function strings.gmatch(text, pattern)
  local from, last_end = 1, 0
  local function step(first, last, ...)
    if not first then
      from = nil
      return nil
    end
    from, last_end = last + 1, last + 1
    return captures(text, first, last, ...)
  end
  return function()
    if from then return step(seek(text, pattern, from, last_end, false)) end
  end
end

-- What stands in for one match.
local function replacement(with, text, first, last, ...)
  local kind, value = type(with), nil
  if kind == "table" then
    value = with[(captures(text, first, last, ...))]
  elseif kind == "function" then
    value = with(captures(text, first, last, ...))
  else
    with = tostring(whole(with))
    local parts, count, at = {}, 0, 1
    while true do
      local escape = seek(with, "%", at, 0, true)
      count = count + 1
      parts[count] = sub(with, at, escape and escape - 1)
      if not escape then return concat(parts) end
      local name = sub(with, escape + 1, escape + 1)
      local number = tonumber(name)
      count = count + 1
      if number == 0 then
        parts[count] = sub(text, first, last)
      elseif number == 1 then
        parts[count] = (captures(text, first, last, ...))
      elseif number and number <= select("#", ...) then
        parts[count] = (select(number, ...))
      elseif name == "%" then
        parts[count] = "%"
      else
        error("invalid use of '%' in replacement string", 3)
      end
      at = escape + 2
    end
  end
  if not value then return sub(text, first, last) end
  if type(value) ~= "string" and type(value) ~= "number" then
    error("invalid replacement value (a " .. type(value) .. ")", 3)
  end
  return whole(value)
end

function strings.gsub(text, pattern, with, most)
  text = tostring(whole(text))
  local kind = type(with)
  if kind ~= "string" and kind ~= "number" and kind ~= "table" and kind ~= "function" then
    error("bad argument #3 to 'gsub' (string/function/table expected, got " .. kind .. ")", 2)
  end
  local parts, count, from, last_end, done = {}, 0, 1, 0, 0
  local anchored = sub(pattern, 1, 1) == "^"
  local function step(first, last, ...)
    if not first then return false end
    parts[count + 1] = sub(text, from, first - 1)
    parts[count + 2] = replacement(with, text, first, last, ...)
    count, from, last_end, done = count + 2, last + 1, last + 1, done + 1
    return not anchored
  end
  while (not most or done < most) and step(seek(text, pattern, from, last_end, false)) do end
  parts[count + 1] = sub(text, from)
  return concat(parts), done
end

-- So that text:find() finds ours.
getmetatable("").__index = strings

local numbers = { pow = function(base, exponent) return base ^ exponent end }
for name, value in pairs(math) do numbers[name] = value end

local clock = { time = time, date = date }

local globals = {
  assert = assert, error = error, getmetatable = getmetatable, ipairs = ipairs, next = next, pairs = pairs,
  rawequal = rawequal, rawget = rawget, rawlen = rawlen, rawset = rawset, select = select, type = type,
  unpack = unpack, pcall = guarded, table = lists, string = strings, math = numbers, os = clock,
  _VERSION = "Lua 5.1",
}
globals._G = globals

function globals.print() end

function globals.tostring(value) return tostring(whole(value)) end

function globals.tonumber(...) return whole(tonumber(...)) end

function globals.xpcall(called, handler)
  local function settle(fine, ...)
    if fine then return true, ... end
    return false, handler(...)
  end
  return settle(guarded(called))
end

-- What runs when an object is collected cannot be stopped either.
function globals.setmetatable(value, meta)
  if type(meta) == "table" and rawget(meta, "__gc") ~= nil then error("__gc is not allowed", 2) end
  return setmetatable(value, meta)
end

function globals.require(name)
  if name == "os" then return clock end
  error("module '" .. tostring(name) .. "' not found", 2)
end

return globals
