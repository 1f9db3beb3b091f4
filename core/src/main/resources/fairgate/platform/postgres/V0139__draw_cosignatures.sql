-- Cosignatures of witnesses on checkpoints of a log, each with the time in it. Of a checkpoint and a witness, the
-- first one counts.
CREATE TABLE draw_cosignatures (
  origin     text NOT NULL REFERENCES draw_logs (origin),
  size       bigint NOT NULL CHECK (size > 0),
  -- The witness's verifier key.
  witness    text NOT NULL,
  -- The checkpoint with the signature of the log.
  checkpoint text NOT NULL,
  -- The signature line of the witness.
  line       text NOT NULL,
  seconds    bigint NOT NULL,
  PRIMARY KEY (origin, size, witness)
);
CREATE INDEX draw_cosignatures_latest ON draw_cosignatures (origin, witness, size);
