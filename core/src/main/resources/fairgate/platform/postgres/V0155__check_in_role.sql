-- People at the entrance check tickets in and do nothing else.
ALTER TABLE operators DROP CONSTRAINT operators_role_check;
ALTER TABLE operators ADD CONSTRAINT operators_role_check
  CHECK (role IN ('checkin', 'viewer', 'support', 'seller', 'owner'));
ALTER TABLE operator_tokens DROP CONSTRAINT operator_tokens_role_check;
ALTER TABLE operator_tokens ADD CONSTRAINT operator_tokens_role_check
  CHECK (role IN ('checkin', 'viewer', 'support', 'seller', 'owner'));
