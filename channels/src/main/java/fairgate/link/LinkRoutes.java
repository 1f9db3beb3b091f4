package fairgate.link;

import static fairgate.platform.http.RouteLimits.ACT;
import static fairgate.platform.http.RouteLimits.MAKE;
import static fairgate.platform.http.RouteLimits.READ;

import fairgate.gate.ActionChallenge;
import fairgate.kernel.ErrorCode;
import fairgate.link.LinkOwners.Owner;
import fairgate.link.LinkService.LinkOutcome;
import fairgate.link.LinkService.StoredLink;
import fairgate.link.LinkSettings.Guests;
import fairgate.link.code.LinkCode;
import fairgate.link.code.TargetUrl;
import fairgate.platform.http.Handler;
import fairgate.platform.http.InvalidRequest;
import fairgate.platform.http.Refusal;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.http.Route;
import fairgate.platform.json.JsonText;
import fairgate.platform.text.Messages;
import fairgate.platform.text.SpreadsheetCsv;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// `/api/v1/shortlinks`: the API for owners of links.
///
/// @param zone the time zone of daily click counts
record LinkRoutes(
    LinkService links,
    LinkOwners owners,
    Guests guests,
    ActionChallenge challenge,
    LinkAddress address,
    ZoneId zone,
    Clock clock) {
  private static final String ROOT = "/api/v1/shortlinks";
  private static final int CSV_BODY = 1024 * 1024;
  private static final int MAX_PAGE_SIZE = 100;
  private static final int USUAL = 20;
  private static final int MAX_EXPORTED_LINKS = 50_000;
  private static final int MAX_DAYS = 366;
  private static final int MAX_DAYS_BY_HOUR = 14;
  private static final Instant LATEST = Instant.parse("9999-01-01T00:00:00Z");

  List<Route> routes() {
    return List.of(
        Route.blockingPost("/api/v1/shortlinks", owned(this::create)).limits(MAKE),
        Route.blockingGet("/api/v1/shortlinks", owned(this::list)).limits(READ),
        Route.blockingPost("/api/v1/shortlinks/import", signedIn(this::load))
            .limits(MAKE)
            .withBodyLimit(CSV_BODY),
        Route.blockingGet("/api/v1/shortlinks/export", owned(this::export)).limits(READ),
        Route.blockingGet("/api/v1/shortlinks/{code}", owned(this::one)).limits(READ),
        Route.blockingPatch("/api/v1/shortlinks/{code}", owned(this::retarget)).limits(ACT),
        Route.blockingDelete("/api/v1/shortlinks/{code}", owned(this::disable)).limits(ACT));
  }

  private interface OwnerHandler {
    Reply answer(Request request, Owner owner);
  }

  private Handler.Blocking owned(OwnerHandler handler) {
    return request -> answer(request, owners.of(request), handler);
  }

  /// A file makes many links by one call: strangers would use it to get around their limit.
  private Handler.Blocking signedIn(OwnerHandler handler) {
    return request -> answer(request, owners.of(request).filter(Owner::isAccount), handler);
  }

  private static Reply answer(Request request, Optional<Owner> owner, OwnerHandler handler) {
    return owner
        .map(known -> handler.answer(request, known))
        .orElseGet(
            () ->
                refuse(ErrorCode.UNAUTHORIZED)
                    .header("www-authenticate", "Bearer realm=\"fairgate\""));
  }

  private Reply create(Request request, Owner owner) {
    Instant now = clock.instant();
    NewLink link = NewLink.of(request.json(), address.own(request), now);
    return owner.isAccount() ? create(request, owner, link) : ofGuest(request, owner, link, now);
  }

  /// Wrong input is told before the challenge, so that it uses no solution up.
  private Reply ofGuest(Request request, Owner owner, NewLink link, Instant now) {
    NewLink expiring = link.ofGuest(now);
    String token = request.json().optionalText("turnstile_token");
    if (!guests.asks(request)) {
      return create(request, owner, expiring);
    }
    return challenge
        .check(request, token == null ? "" : token)
        .await()
        .map(Reply::refuse)
        .orElseGet(() -> create(request, owner, expiring));
  }

  private Reply create(Request request, Owner owner, NewLink link) {
    return switch (links.create(owner.id(), link)) {
      case LinkOutcome.Done(StoredLink made) ->
          Reply.json(201, json(made, request).bytes())
              .header("location", ROOT + "/" + made.entry().code());
      case LinkOutcome.CodeTaken _ ->
          Reply.refuse(Refusal.of(ErrorCode.LINK_CODE_TAKEN).with("field", "code"));
      case LinkOutcome.HostBlocked _ -> refuse(ErrorCode.LINK_TARGET_BLOCKED);
      case LinkOutcome.TooMany _ -> refuse(ErrorCode.TOO_MANY_LINKS);
      case LinkOutcome.NotFound() -> refuse(ErrorCode.LINK_NOT_FOUND);
    };
  }

  private Reply list(Request request, Owner owner) {
    int limit = number(request, "limit", 1, MAX_PAGE_SIZE, USUAL);
    Cursor from = Cursor.of(request.query("cursor"));
    List<StoredLink> page = links.page(owner.id(), from.before(), from.code(), limit);
    JsonText all = JsonText.array();
    page.forEach(link -> all.add(json(link, request)));
    String next = page.size() < limit ? null : Cursor.after(page.getLast()).text();
    return Reply.json(200, JsonText.object().put("links", all).put("cursor", next).bytes());
  }

  private Reply one(Request request, Owner owner) {
    String by = Objects.requireNonNullElse(request.query("by"), "day");
    boolean byHour = by.equals("hour");
    if (!byHour && !by.equals("day")) {
      throw new InvalidRequest("by", "not_one_of", "day, hour");
    }
    int days = number(request, "days", 1, byHour ? MAX_DAYS_BY_HOUR : MAX_DAYS, byHour ? 2 : 30);
    if (!(links.find(owner.id(), code(request)) instanceof LinkOutcome.Done(StoredLink link))) {
      return refuse(ErrorCode.LINK_NOT_FOUND);
    }
    LocalDate first = LocalDate.ofInstant(clock.instant(), zone).minusDays(days - 1L);
    Instant since = first.atStartOfDay(zone).toInstant();
    String code = link.entry().code();
    return Reply.json(
        200,
        json(link, request)
            .put("series_by", by)
            .put("time_zone", zone.getId())
            .put(
                "series",
                byHour
                    ? LinkJson.hours(links.hours(code, since))
                    : LinkJson.days(links.days(code, since, zone), zone))
            .bytes());
  }

  private Reply retarget(Request request, Owner owner) {
    TargetUrl target = NewLink.target(request.json().text("url"), address.own(request));
    return switch (links.retarget(owner.id(), code(request), target)) {
      case LinkOutcome.Done(StoredLink link) -> Reply.json(200, json(link, request).bytes());
      case LinkOutcome.HostBlocked _ -> refuse(ErrorCode.LINK_TARGET_BLOCKED);
      case LinkOutcome.CodeTaken _, LinkOutcome.TooMany _, LinkOutcome.NotFound _ ->
          refuse(ErrorCode.LINK_NOT_FOUND);
    };
  }

  private Reply disable(Request request, Owner owner) {
    return links.disable(owner.id(), code(request)) instanceof LinkOutcome.Done(StoredLink link)
        ? Reply.json(200, json(link, request).bytes())
        : refuse(ErrorCode.LINK_NOT_FOUND);
  }

  private Reply load(Request request, Owner owner) {
    List<LinkCsv.Line> lines = LinkCsv.read(request.body(), address.own(request), clock.instant());
    List<LinkOutcome> outcomes =
        links.createAll(
            owner.id(), lines.stream().map(LinkCsv.Line::link).flatMap(Optional::stream).toList());
    JsonText results = JsonText.array();
    int made = 0;
    int next = 0;
    for (LinkCsv.Line line : lines) {
      JsonText result = JsonText.object().put("line", line.number());
      if (line.problem().isPresent()) {
        results.add(problem(result, line.problem().get(), request));
        continue;
      }
      switch (outcomes.get(next++)) {
        case LinkOutcome.Done(StoredLink link) -> {
          made++;
          result
              .put("code", link.entry().code())
              .put("short_url", address.base(request) + "/" + link.entry().code());
        }
        case LinkOutcome.CodeTaken _ -> problem(result, ErrorCode.LINK_CODE_TAKEN, request);
        case LinkOutcome.HostBlocked _ -> problem(result, ErrorCode.LINK_TARGET_BLOCKED, request);
        case LinkOutcome.TooMany _ -> problem(result, ErrorCode.TOO_MANY_LINKS, request);
        case LinkOutcome.NotFound() -> problem(result, ErrorCode.LINK_NOT_FOUND, request);
      }
      results.add(result);
    }
    return Reply.json(
        200,
        JsonText.object()
            .put("created", made)
            .put("refused", lines.size() - made)
            .put("results", results)
            .bytes());
  }

  private static JsonText problem(JsonText result, InvalidRequest problem, Request request) {
    return result
        .put("error", ErrorCode.INVALID_REQUEST.name())
        .put("field", problem.field())
        .put("message", problem.text(request.language()));
  }

  private static void problem(JsonText result, ErrorCode code, Request request) {
    result
        .put("error", code.name())
        .put("message", Messages.text(request.language(), "error." + code.name()));
  }

  private Reply export(Request request, Owner owner) {
    List<List<@Nullable String>> rows = new ArrayList<>();
    rows.add(LinkJson.csvHead());
    Cursor at = Cursor.of(null);
    List<StoredLink> page;
    do {
      page = links.page(owner.id(), at.before(), at.code(), 1_000);
      for (StoredLink link : page) {
        String state = links.state(link, clock.instant());
        rows.add(LinkJson.csv(link, state, address.base(request)));
        at = Cursor.after(link);
      }
    } while (page.size() == 1_000 && rows.size() < MAX_EXPORTED_LINKS);
    String csv = SpreadsheetCsv.text(rows);
    return Reply.bytes(200, "text/csv; charset=utf-8", csv.getBytes(StandardCharsets.UTF_8))
        .header("cache-control", "no-store")
        .header("content-disposition", "attachment; filename=\"shortlinks.csv\"");
  }

  private JsonText json(StoredLink link, Request request) {
    return LinkJson.of(link, links.state(link, clock.instant()), address.base(request));
  }

  /// A code in an invalid format is an unknown link.
  private static String code(Request request) {
    return LinkCode.read(request.pathParam("code")).map(LinkCode::value).orElse("");
  }

  private static int number(Request request, String name, int least, int max, int usual) {
    String text = request.query(name);
    if (text == null) {
      return usual;
    }
    if (!text.matches("[0-9]{1,6}")) {
      throw new InvalidRequest(name, "not_integer");
    }
    int value = Integer.parseInt(text);
    if (value < least || value > max) {
      throw new InvalidRequest(name, "out_of_range", least, max);
    }
    return value;
  }

  private static Reply refuse(ErrorCode code) {
    return Reply.refuse(Refusal.of(code));
  }

  /// Where a page ended: microseconds of creation, and a code.
  private record Cursor(Instant before, String code) {
    static Cursor of(@Nullable String text) {
      if (text == null || text.isEmpty()) {
        return new Cursor(LATEST, "");
      }
      int split = text.indexOf('_');
      if (!text.matches("[0-9]{1,17}_[a-z0-9_-]{3,64}")) {
        throw new InvalidRequest("cursor", "bad_format");
      }
      long micros = Long.parseLong(text.substring(0, split));
      return new Cursor(Instant.EPOCH.plus(micros, ChronoUnit.MICROS), text.substring(split + 1));
    }

    static Cursor after(StoredLink link) {
      return new Cursor(link.createdAt(), link.entry().code());
    }

    String text() {
      return ChronoUnit.MICROS.between(Instant.EPOCH, before) + "_" + code;
    }
  }
}
