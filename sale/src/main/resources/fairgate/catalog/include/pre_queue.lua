-- True while the order of the places is hidden: before the opening of a sale that shuffles the places taken
-- until then. `sale` holds fields of the sale's hash by name: shuffle, last_join and admitted. Once the sale
-- has admitted somebody, or somebody has joined in order of arrival, the order stays visible, also when the
-- sale is paused or postponed.
local function is_order_hidden(sale, state)
  return sale.shuffle == '1'
    and (state == 'scheduled' or state == 'paused')
    and not sale.last_join
    and not sale.admitted
end
