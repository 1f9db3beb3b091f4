-- The keyed hash of the client's address, so that a person without the cookie is recognised at the same
-- address. NULL in decisions from before.
ALTER TABLE risk_decisions ADD COLUMN network text;
