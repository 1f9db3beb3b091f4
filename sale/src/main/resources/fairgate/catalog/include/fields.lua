-- Reads fields of a hash into a table by name. A missing field is false. All other values are text.
local function read_fields(key, ...)
  local names = { ... }
  local values = redis.call('HMGET', key, ...)
  local fields = {}
  for i = 1, #names do
    fields[names[i]] = values[i]
  end
  return fields
end
