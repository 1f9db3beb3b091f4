local function sum(a, b)
  return tonumber(a) + tonumber(b)
end
