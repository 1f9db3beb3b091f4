-- A deleted room is remembered for a while, so that its page still leads to the shop.
ALTER TABLE deleted_rooms
  -- Empty for none.
  ADD COLUMN return_url text NOT NULL DEFAULT '',
  -- Whether Redis has nothing of the room any more.
  ADD COLUMN cleared boolean NOT NULL DEFAULT false;
