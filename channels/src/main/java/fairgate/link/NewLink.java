package fairgate.link;

import fairgate.link.code.ForwardQuery;
import fairgate.link.code.LinkCode;
import fairgate.link.code.TargetUrl;
import fairgate.platform.http.InvalidRequest;
import fairgate.platform.http.JsonBody;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// A request for a link, with validated fields.
///
/// @param code in lower case; null = random
/// @param maxVisits 0 = unlimited
public record NewLink(
    TargetUrl target,
    @Nullable String code,
    @Nullable Instant expiresAt,
    int maxVisits,
    int redirectStatus,
    ForwardQuery forward) {
  private static final Set<Integer> STATUSES = Set.of(301, 302, 307, 308);
  private static final int MAX_VISITS = 1_000_000_000;
  private static final int MAX_YEARS = 100;

  static final Duration GUEST_LIFE = Duration.ofDays(7);

  static final Duration MAX_GUEST_LIFETIME = Duration.ofDays(30);

  /// Reads the body of a creation.
  ///
  /// @param ownHosts where no link may lead: to this server itself
  static NewLink of(JsonBody body, Set<String> ownHosts, Instant now) {
    int status = body.optionalInteger("redirect_status", 301, 308, 302);
    return of(
        new Texts(
            body.text("url"),
            body.optionalText("code"),
            body.optionalText("expires_at"),
            status,
            body.optionalInteger("max_visits", 1, MAX_VISITS, 0),
            body.optionalText("forward_query")),
        ownHosts,
        now);
  }

  /// The fields before they are checked; null and 0 = not given.
  record Texts(
      String url,
      @Nullable String code,
      @Nullable String expiresAt,
      int status,
      int visits,
      @Nullable String forward) {}

  static NewLink of(Texts texts, Set<String> ownHosts, Instant now) {
    if (!STATUSES.contains(texts.status())) {
      throw new InvalidRequest("redirect_status", "not_one_of", "301, 302, 307, 308");
    }
    return new NewLink(
        target(texts.url(), ownHosts),
        code(texts.code()),
        expiry(texts.expiresAt(), now),
        texts.visits(),
        texts.status(),
        forward(texts.forward()));
  }

  /// The same link for a caller without an account: it always expires. Throws InvalidRequest if its
  /// lifetime exceeds [#MAX_GUEST_LIFETIME].
  NewLink ofGuest(Instant now) {
    Instant latest = now.plus(MAX_GUEST_LIFETIME);
    if (expiresAt != null && expiresAt.isAfter(latest)) {
      throw new InvalidRequest("expires_at", "guest_link", MAX_GUEST_LIFETIME.toDays());
    }
    Instant end = expiresAt == null ? now.plus(GUEST_LIFE) : expiresAt;
    return new NewLink(target, code, end, maxVisits, redirectStatus, forward);
  }

  /// Where a link is to lead.
  ///
  /// @param ownHosts where no link may lead: to this server itself
  static TargetUrl target(String url, Set<String> ownHosts) {
    try {
      TargetUrl target = TargetUrl.parse(url);
      if (ownHosts.contains(target.host())) {
        throw new InvalidRequest("url", TargetUrl.Problem.OWN_DOMAIN.key());
      }
      return target;
    } catch (TargetUrl.Refused refused) {
      int most =
          refused.problem() == TargetUrl.Problem.TOO_LONG_ENCODED
              ? TargetUrl.MAX_SENT
              : TargetUrl.MAX_LENGTH;
      throw new InvalidRequest("url", refused.problem().key(), most);
    }
  }

  private static @Nullable String code(@Nullable String given) {
    if (given == null) {
      return null;
    }
    if (!LinkCode.isCustom(given)) {
      throw new InvalidRequest("code", "link_code", 3, 64);
    }
    String code = given.toLowerCase(Locale.ROOT);
    if (LinkCode.isMistyped(code)) {
      throw new InvalidRequest("code", "link_code_made");
    }
    return code;
  }

  private static ForwardQuery forward(@Nullable String given) {
    return given == null
        ? ForwardQuery.UTM
        : ForwardQuery.of(given)
            .orElseThrow(() -> new InvalidRequest("forward_query", "not_one_of", "none, utm, all"));
  }

  private static @Nullable Instant expiry(@Nullable String given, Instant now) {
    if (given == null) {
      return null;
    }
    Instant instant;
    try {
      instant = OffsetDateTime.parse(given).toInstant();
    } catch (DateTimeParseException e) {
      throw new InvalidRequest("expires_at", "not_instant");
    }
    if (!instant.isAfter(now)) {
      throw new InvalidRequest("expires_at", "after", now.truncatedTo(ChronoUnit.SECONDS));
    }
    Instant latest = now.atOffset(ZoneOffset.UTC).plusYears(MAX_YEARS).toInstant();
    if (instant.isAfter(latest)) {
      throw new InvalidRequest("expires_at", "out_of_range", now, latest);
    }
    return instant;
  }
}
