-- A draw that has a result is not aborted: it could be thrown again until somebody likes the result.
CREATE OR REPLACE FUNCTION draws_go_forward() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  states text[] := ARRAY['announced', 'open', 'sealing', 'sealed', 'drawn', 'allocating', 'ended', 'aborted'];
BEGIN
  IF (NEW.id, NEW.product_id, NEW.rules, NEW.chain, NEW.second_chain)
      <> (OLD.id, OLD.product_id, OLD.rules, OLD.chain, OLD.second_chain)
    OR NEW.round < OLD.round
    OR (OLD.is_second AND (NOT NEW.is_second OR NEW.round <> OLD.round))
    OR (OLD.seal IS NOT NULL AND NEW.seal IS DISTINCT FROM OLD.seal)
    OR (OLD.beacon IS NOT NULL AND NEW.beacon IS DISTINCT FROM OLD.beacon)
    OR (OLD.result IS NOT NULL AND NEW.result IS DISTINCT FROM OLD.result)
    OR (OLD.report IS NOT NULL AND NEW.report IS DISTINCT FROM OLD.report)
    OR array_position(states, NEW.state) < array_position(states, OLD.state)
    OR (OLD.state = 'ended' AND NEW.state <> 'ended')
    OR (OLD.result IS NOT NULL AND OLD.state <> 'aborted' AND NEW.state = 'aborted') THEN
    RAISE EXCEPTION 'draws go forward only' USING ERRCODE = 'restrict_violation';
  END IF;
  NEW.version := nextval('draw_changes');
  RETURN NEW;
END $$;
