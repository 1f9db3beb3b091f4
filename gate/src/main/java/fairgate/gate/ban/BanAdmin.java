package fairgate.gate.ban;

import static fairgate.kernel.Role.SUPPORT;

import fairgate.kernel.BanSubject;
import fairgate.kernel.ErrorCode;
import fairgate.platform.admin.AdminGuard;
import fairgate.platform.admin.AdminInput;
import fairgate.platform.admin.AdminQuery;
import fairgate.platform.http.InvalidRequest;
import fairgate.platform.http.JsonBody;
import fairgate.platform.http.Refusal;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.http.Route;
import fairgate.platform.json.JsonText;
import fairgate.platform.observe.Metrics;
import io.micrometer.core.instrument.Counter;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// `/api/admin/bans`: bans and the allow-list. A change is in force on this node when its response
/// is sent, and on every node within a second.
public final class BanAdmin {
  private static final int LONGEST_REASON = 500;
  private static final int LONGEST_VALUE = 200;
  private static final long LONGEST = Duration.ofDays(3_650).toSeconds();

  private final BanService bans;
  private final Counter reversals;

  BanAdmin(BanService bans, Metrics metrics) {
    this.bans = bans;
    this.reversals =
        metrics.counter(
            "fairgate_reversals_total",
            "Decisions that operators took back: bans lifted, places put back in order",
            "decision",
            "ban");
  }

  List<Route> routes(AdminGuard admin) {
    return List.of(
        Route.blockingGet(
                "/api/admin/bans",
                admin.guard(
                    AdminInput.query("effect", "kind", "value", "past", "before", "limit"),
                    this::list))
            .roles(SUPPORT),
        Route.blockingPost(
                "/api/admin/bans",
                admin.guard(
                    AdminInput.body("effect", "kind", "value", "reason", "duration_seconds"),
                    this::add))
            .roles(SUPPORT)
            .withReason(true),
        Route.blockingDelete("/api/admin/bans/{id}", admin.guard(this::lift)).roles(SUPPORT));
  }

  private Reply list(Request request) {
    Ban.Effect effect = AdminQuery.word(request, "effect", Ban.Effect.values(), Ban.Effect::word);
    BanSubject.Kind kind =
        AdminQuery.word(request, "kind", BanSubject.Kind.values(), BanSubject.Kind::word);
    int limit = AdminQuery.limit(request);
    boolean past = AdminQuery.flag(request, "past");
    List<Ban.Entry> page =
        bans.list(
            new Ban.Query(
                effect,
                kind,
                value(request, kind),
                past,
                AdminQuery.number(request, "before", 1, Long.MAX_VALUE / 16, 0),
                limit));
    JsonText entries = JsonText.array();
    for (Ban.Entry entry : page) {
      entries = entries.add(json(entry));
    }
    JsonText body = JsonText.object().put("bans", entries);
    if (page.size() == limit) {
      body = body.put("before", page.getLast().ban().id());
    }
    return Reply.json(200, body.bytes());
  }

  private Reply add(Request request) {
    JsonBody body = request.json();
    String effect = body.optionalText("effect");
    BanSubject.Kind kind =
        AdminQuery.word("kind", body.text("kind"), BanSubject.Kind.values(), BanSubject.Kind::word);
    if (!bans.canApply(kind)) {
      boolean asn = kind == BanSubject.Kind.ASN;
      throw new InvalidRequest("kind", asn ? "no_asn_database" : "no_country_database");
    }
    BanSubject subject = BanSubject.parse(kind, body.text("value", 1, LONGEST_VALUE));
    if (subject == null) {
      throw new InvalidRequest("value", "ban_value");
    }
    if (subject.isTooWide()) {
      throw new InvalidRequest(
          "value", "too_wide", BanSubject.SHORTEST_V4_PREFIX, BanSubject.SHORTEST_V6_PREFIX);
    }
    Ban.Effect wanted =
        effect == null
            ? Ban.Effect.BAN
            : AdminQuery.word("effect", effect, Ban.Effect.values(), Ban.Effect::word);
    long seconds = body.optionalLongInteger("duration_seconds", 1, LONGEST, 0);
    String reason = AdminInput.reason(body, LONGEST_REASON);
    if (wanted == Ban.Effect.BAN) {
      bans.endExemption(subject, AdminGuard.actor(request));
    }
    BanService.Outcome outcome =
        bans.add(
            wanted,
            subject,
            reason,
            AdminGuard.actor(request),
            seconds == 0 ? null : Duration.ofSeconds(seconds));
    return switch (outcome) {
      case BanService.Outcome.Added(Ban ban) -> Reply.json(201, added(ban).bytes());
      case BanService.Outcome.Extended(Ban ban) -> Reply.json(200, added(ban).bytes());
      case BanService.Outcome.Kept(Ban ban) -> Reply.json(200, added(ban).bytes());
      case BanService.Outcome.Full(int max) -> throw new InvalidRequest("", "list_full", max);
    };
  }

  /// An entry, and the entry of the allow-list for the same subject by which a ban has no effect.
  private JsonText added(Ban ban) {
    JsonText json = json(ban);
    if (ban.effect() == Ban.Effect.ALLOW) {
      return json;
    }
    BanSubject subject = ban.subject();
    // Read from PostgreSQL: this node may not know the latest entries of others yet.
    return bans
        .list(new Ban.Query(Ban.Effect.ALLOW, subject.kind(), subject.value(), false, 0, 1))
        .stream()
        .findFirst()
        .map(allowed -> json.put("overridden_by", allowed.ban().id()))
        .orElse(json);
  }

  private Reply lift(Request request) {
    String id = request.pathParam("id");
    if (!id.matches("[0-9]{1,18}")) {
      throw new InvalidRequest("id", "not_digits", 1, 18);
    }
    return bans.lift(Long.parseLong(id), AdminGuard.actor(request))
        .map(
            ban -> {
              reversals.increment(ban.effect() == Ban.Effect.BAN ? 1 : 0);
              return Reply.json(200, json(ban).bytes());
            })
        .orElseGet(() -> Reply.refuse(Refusal.of(ErrorCode.NOT_FOUND)));
  }

  /// The value in the stored form of its kind.
  private static @Nullable String value(Request request, BanSubject.@Nullable Kind kind) {
    String text = request.query("value");
    if (text == null || kind == null) {
      return text;
    }
    BanSubject subject = BanSubject.parse(kind, text);
    if (subject == null) {
      throw new InvalidRequest("value", "ban_value");
    }
    return subject.value();
  }

  public static JsonText json(Ban.Entry entry) {
    JsonText json = json(entry.ban());
    return entry.liftedAt() == 0
        ? json
        : json.put("lifted_at", entry.liftedAt()).put("lifted_by", entry.liftedBy());
  }

  private static JsonText json(Ban ban) {
    JsonText json =
        JsonText.object()
            .put("id", ban.id())
            .put("effect", ban.effect().word())
            .put("kind", ban.subject().kind().word())
            .put("value", ban.subject().value())
            .put("reason", ban.reason())
            .put("actor", ban.actor())
            .put("since", ban.since());
    return ban.until() == Ban.FOR_EVER ? json : json.put("until", ban.until());
  }
}
