-- For HAProxy 2.6 or later: asks Fairgate whether a request may pass. `lua-load` loads this file;
-- `http-request lua.fairgate_check URL` asks. A request that may not pass is answered here.
-- `http-response lua.fairgate_release URL` ends the visit: the shop has asked for it.
--
-- Variables: txn.fairgate_cookie = the Set-Cookie that renews a pass, if there is one;
-- txn.fairgate_pass = the visitor's pass.

local TIMEOUT_MS = 5000

-- The client's headers that decide about the answer. All others stay here.
local ASKED = {
  'accept',
  'accept-language',
  'cookie',
  'sec-fetch-mode',
  'upgrade',
  'x-http-method',
  'x-http-method-override',
  'x-method-override',
  'x-requested-with',
}

local FORWARDED = { 'content-type', 'location', 'retry-after', 'cache-control', 'set-cookie' }

-- HAProxy counts the values of a header from 0.
local function values_of(headers, name)
  local values = {}
  for index, value in pairs(headers[name] or {}) do
    values[index + 1] = value
  end
  return values
end

local function question(txn)
  local received = txn.http:req_get_headers()
  local headers = {}
  for _, name in ipairs(ASKED) do
    local values = values_of(received, name)
    if #values > 0 then
      headers[name] = values
    end
  end
  headers['x-forwarded-for'] = { txn.sf:src() }
  headers['x-forwarded-method'] = { txn.sf:method() }
  headers['x-forwarded-proto'] = { txn.f:ssl_fc() == 1 and 'https' or 'http' }
  headers['x-forwarded-host'] = values_of(received, 'host')
  headers['x-forwarded-uri'] = { txn.sf:pathq() }
  return headers
end

local function answer(txn, status, headers, body)
  local reply = txn:reply()
  reply:set_status(status)
  for name, value in pairs(headers) do
    reply:add_header(name, value)
  end
  reply:set_body(body)
  txn:done(reply)
end

local function answer_away(txn)
  local headers = { ['content-type'] = 'text/plain', ['cache-control'] = 'no-store', ['retry-after'] = '5' }
  answer(txn, 503, headers, 'The waiting room is not available. Please try again in a few seconds.\n')
end

local function let_pass(txn, headers)
  local pass = values_of(headers, 'x-fairgate-pass')[1]
  if pass then
    txn.http:req_set_header('X-Fairgate-Pass', pass)
    txn:set_var('txn.fairgate_pass', pass)
  end
  local cookie = values_of(headers, 'set-cookie')[1]
  if cookie then
    txn:set_var('txn.fairgate_cookie', cookie)
  end
end

local function relay(txn, response)
  local headers = {}
  for _, name in ipairs(FORWARDED) do
    headers[name] = values_of(response.headers, name)[1]
  end
  answer(txn, response.status, headers, response.body or '')
end

local function check(txn, url)
  local client = core.httpclient()
  local response = client:get({ url = url, headers = question(txn), timeout = TIMEOUT_MS })
  if response == nil or response.status == nil or response.status == 0 or response.status >= 500 then
    answer_away(txn)
  elseif response.status == 204 then
    let_pass(txn, response.headers)
  else
    relay(txn, response)
  end
end

-- A pass has no characters that JSON would escape. The client's answer does not depend on this one.
local function release(txn, url)
  local pass = txn:get_var('txn.fairgate_pass')
  if not pass then
    return
  end
  core.httpclient():post({
    url = url,
    headers = { ['content-type'] = { 'application/json' }, ['x-forwarded-for'] = { txn.sf:src() } },
    body = '{"pass":"' .. pass .. '"}',
    timeout = TIMEOUT_MS,
  })
end

core.register_action('fairgate_release', { 'http-res' }, release, 1)
core.register_action('fairgate_check', { 'http-req' }, check, 1)
