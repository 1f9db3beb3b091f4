-- Where a person is on a waiting list: in the order of registration (''), behind all of these, also those who register
-- later, or held until a review. The words sort in this order. The decision is the one that seated the person.
ALTER TABLE standby_entries
  ADD COLUMN seat text NOT NULL DEFAULT '' CHECK (seat IN ('', 'behind', 'held')),
  ADD COLUMN decision text,
  ADD CHECK (seat = '' OR decision IS NOT NULL);
CREATE INDEX standby_by_decision ON standby_entries (decision) WHERE decision IS NOT NULL;
