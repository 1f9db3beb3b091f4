-- Short links, banned hosts, and counts of clicks.

CREATE SEQUENCE short_link_changes;

CREATE TABLE short_links (
  code            text PRIMARY KEY CHECK (code ~ '^[a-z0-9][a-z0-9_-]{2,63}$'),
  -- In ASCII; people write at most 2,048 characters.
  url             text NOT NULL CHECK (length(url) BETWEEN 10 AND 8000),
  owner           text NOT NULL,
  redirect_status smallint NOT NULL CHECK (redirect_status IN (301, 302, 307, 308)),
  created_at      timestamptz NOT NULL DEFAULT now(),
  expires_at      timestamptz,
  max_visits      int CHECK (max_visits > 0),
  -- Redirects given, counted only where there is a limit.
  visits          int NOT NULL DEFAULT 0,
  disabled_at     timestamptz,
  banned_at       timestamptz,
  ban_reason      text,
  -- Higher after every change: a cache never goes back to a lower one.
  version         bigint NOT NULL DEFAULT nextval('short_link_changes'),
  -- The transaction that changed it last. A change that a node has not seen is of a transaction that was running, or
  -- had not begun, at its last look; so no change is missed, in whatever order they commit.
  changed_xid     xid8 NOT NULL DEFAULT pg_current_xact_id(),
  -- Which parameters of the short address are added to the target.
  forward_query   text NOT NULL DEFAULT 'utm' CHECK (forward_query IN ('none', 'utm', 'all')),
  CONSTRAINT short_links_limit_holds CHECK (visits <= max_visits)
) WITH (fillfactor = 90);
CREATE INDEX short_links_of_owner ON short_links (owner, created_at DESC, code DESC);
CREATE INDEX short_links_changed ON short_links (changed_xid, version);

-- Bans are lifted, not deleted: a node has to see that they ended.
CREATE TABLE short_link_hosts (
  host        text PRIMARY KEY,
  reason      text NOT NULL,
  actor       text NOT NULL,
  banned      boolean NOT NULL,
  changed_at  timestamptz NOT NULL DEFAULT now(),
  changed_xid xid8 NOT NULL DEFAULT pg_current_xact_id()
);
CREATE INDEX short_link_hosts_changed ON short_link_hosts (changed_xid);

CREATE TABLE short_link_clicks (
  code     text NOT NULL,
  hour     timestamptz NOT NULL,
  clicks   bigint NOT NULL,
  bots     bigint NOT NULL,
  visitors bigint NOT NULL,
  PRIMARY KEY (code, hour)
) WITH (fillfactor = 70);

-- Visitors that were counted today, by a hash with today's salt. Both are deleted when the day is over.
CREATE TABLE short_link_salts (
  day  date PRIMARY KEY,
  salt text NOT NULL
);
CREATE TABLE short_link_visitors (
  day     date NOT NULL,
  code    text NOT NULL,
  visitor bigint NOT NULL,
  PRIMARY KEY (day, code, visitor)
);
