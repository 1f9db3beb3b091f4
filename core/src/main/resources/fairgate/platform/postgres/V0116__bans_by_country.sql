-- Bans and exemptions by country.
ALTER TABLE bans DROP CONSTRAINT bans_kind_check;
ALTER TABLE bans ADD CONSTRAINT bans_kind_check
  CHECK (kind IN ('ip', 'network', 'asn', 'country', 'device', 'account', 'session'));
