-- Appeals of others are closed when that of the refused person is granted.
ALTER TABLE appeals DROP CONSTRAINT appeals_state_check,
  ADD CONSTRAINT appeals_state_check CHECK (state IN ('open', 'granted', 'refused', 'closed'));

UPDATE appeals a SET state = 'closed', reason = 'appeal ' || g.id || ' was granted', answer = '',
  reviewer = g.reviewer, decided_at = now()
FROM appeals g
WHERE g.decision = a.decision AND g.state = 'granted'
  AND coalesce(g.same_browser, g.same_network, true)
  AND a.state = 'open' AND NOT coalesce(a.same_browser, a.same_network, true) AND a.ban_id IS NULL;
