package fairgate.redeem.guard;

import fairgate.kernel.Audit;
import fairgate.kernel.AuditEvent;
import fairgate.kernel.Caller;
import fairgate.platform.postgres.PostgresDatabase;
import fairgate.platform.redis.RedisClient;
import io.vertx.sqlclient.Row;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Bans in the table `claim_bans`. The keys in Redis enforce them.
record PostgresClaimBans(
    PostgresDatabase database, RedisClient redis, InstantSource clock, Audit audit)
    implements ClaimBans {
  private static final Logger LOG = LoggerFactory.getLogger(PostgresClaimBans.class);
  private static final String REASON = "too many misses";
  private static final String COLUMNS =
      "id, subject, reason, banned_at, until, lifted_at, lifted_by";
  private static final String INSERT =
      "INSERT INTO claim_bans (subject, reason, banned_at, until) VALUES ($1, $2, $3, $4)";
  private static final String LIST =
      "SELECT "
          + COLUMNS
          + " FROM claim_bans WHERE $1 OR (lifted_at IS NULL AND until > $2)"
          + " ORDER BY id DESC LIMIT $3";
  private static final String FIND = "SELECT " + COLUMNS + " FROM claim_bans WHERE id = $1";
  private static final String LIFT =
      "UPDATE claim_bans SET lifted_at = $2, lifted_by = $3, lift_reason = $4"
          + " WHERE id = $1 AND lifted_at IS NULL RETURNING "
          + COLUMNS;

  @Override
  public void record(String subject, Duration length) {
    Instant now = clock.instant();
    LOG.warn("Banned from claiming; subject={} duration={} reason={}", subject, length, REASON);
    var _ =
        database
            .query(INSERT, subject, REASON, utc(now), utc(now.plus(length)))
            .onFailure(failure -> LOG.error("Could not store a ban; subject={}", subject, failure));
    audit.note(
        new AuditEvent(
            AuditEvent.Kind.BAN,
            "claims",
            Caller.NONE,
            Map.of(
                "reason", REASON,
                "kind", subject.substring(0, subject.indexOf(':')),
                "until", now.plus(length).toEpochMilli())));
  }

  @Override
  public List<Ban> list(boolean all, int max) {
    return database.query(LIST, all, utc(clock.instant()), max).await().stream()
        .map(PostgresClaimBans::ban)
        .toList();
  }

  @Override
  public Optional<Ban> lift(long id, String actor, String reason) {
    Optional<Ban> found =
        database.query(FIND, id).await().stream().findFirst().map(PostgresClaimBans::ban);
    if (found.isEmpty()) {
      return found;
    }
    ClaimKeys keys = new ClaimKeys(found.get().subject());
    // Keys first: the list of bans must never omit a ban that is still enforced.
    var _ = redis.send("DEL", keys.ban(), keys.misses()).await();
    return database.query(LIFT, id, utc(clock.instant()), actor, reason).await().stream()
        .findFirst()
        .map(PostgresClaimBans::ban)
        .or(() -> found);
  }

  private static Ban ban(Row row) {
    return new Ban(
        row.getLong("id"),
        row.getString("subject"),
        row.getString("reason"),
        row.getOffsetDateTime("banned_at").toInstant(),
        row.getOffsetDateTime("until").toInstant(),
        instant(row.getOffsetDateTime("lifted_at")),
        row.getString("lifted_by"));
  }

  private static @Nullable Instant instant(@Nullable OffsetDateTime time) {
    return time == null ? null : time.toInstant();
  }

  private static OffsetDateTime utc(Instant instant) {
    return instant.atOffset(ZoneOffset.UTC);
  }
}
