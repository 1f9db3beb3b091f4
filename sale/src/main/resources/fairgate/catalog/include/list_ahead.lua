-- The people of a sale's waiting list in the order of waiting. The sale's field `list` has their number and
-- then scores as of the waiting queue: of the first person, and of others at equal distances; see
-- list_turn.lua.

-- The list of a sale; nil without the field.
local function read_list(text)
  if not text then
    return nil
  end
  local scores = {}
  for number in string.gmatch(text, '%S+') do
    scores[#scores + 1] = tonumber(number)
  end
  local people = table.remove(scores, 1)
  return { people = people, scores = scores, distance = math.ceil(people / math.max(1, #scores)) }
end

-- The number of people of the list who began to wait before a place with this score. At most by the distance
-- of the scores too many.
local function people_before(list, score)
  local earlier = 0
  while earlier < #list.scores and list.scores[earlier + 1] < score do
    earlier = earlier + 1
  end
  return math.min(list.people, earlier * list.distance)
end
