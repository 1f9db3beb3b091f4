package fairgate.link;

import fairgate.kernel.ErrorCode;
import fairgate.link.LinkOwners.Owner;
import fairgate.link.code.LinkCode;
import fairgate.platform.http.BlockingHandler;
import fairgate.platform.http.InvalidRequest;
import fairgate.platform.http.Refusal;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.http.Route;
import fairgate.platform.json.JsonText;
import fairgate.platform.text.Messages;
import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// `/api/v1/shortlinks`: what owners do with their links.
final class LinkRoutes {
  private static final String ROOT = "/api/v1/shortlinks";
  private static final int CSV_BODY = 1024 * 1024;
  private static final int MOST = 100;
  private static final int USUAL = 20;
  private static final int MOST_EXPORTED = 50_000;
  private static final int MOST_DAYS = 366;
  private static final int MOST_DAYS_BY_HOUR = 14;
  private static final Instant LATEST = Instant.parse("9999-01-01T00:00:00Z");

  private final LinkService links;
  private final LinkOwners owners;
  private final LinkAddress address;
  private final Clock clock;

  LinkRoutes(LinkService links, LinkOwners owners, LinkAddress address, Clock clock) {
    this.links = links;
    this.owners = owners;
    this.address = address;
    this.clock = clock;
  }

  List<Route> routes() {
    return List.of(
        Route.blockingPost("/api/v1/shortlinks", owned(this::create)),
        Route.blockingGet("/api/v1/shortlinks", owned(this::list)),
        Route.blockingPost("/api/v1/shortlinks/import", signedIn(this::load))
            .withBodyLimit(CSV_BODY),
        Route.blockingGet("/api/v1/shortlinks/export", owned(this::export)),
        Route.blockingGet("/api/v1/shortlinks/{code}", owned(this::one)),
        Route.blockingDelete("/api/v1/shortlinks/{code}", owned(this::disable)));
  }

  private interface Owned {
    Reply answer(Request request, String owner);
  }

  private BlockingHandler owned(Owned handler) {
    return request -> answer(request, owners.of(request), handler);
  }

  /// A file makes many links by one call: strangers would use it to get around their limit.
  private BlockingHandler signedIn(Owned handler) {
    return request -> answer(request, owners.of(request).filter(Owner::isAccount), handler);
  }

  private static Reply answer(Request request, Optional<Owner> owner, Owned handler) {
    return owner
        .map(known -> handler.answer(request, known.id()))
        .orElseGet(
            () ->
                refuse(ErrorCode.UNAUTHORIZED)
                    .header("www-authenticate", "Bearer realm=\"fairgate\""));
  }

  private Reply create(Request request, String owner) {
    NewLink link = NewLink.of(request.json(), address.own(request), clock.instant());
    return switch (links.create(owner, link)) {
      case LinkOutcome.Done(StoredLink made) ->
          Reply.json(201, json(made, request).bytes())
              .header("location", ROOT + "/" + made.entry().code());
      case LinkOutcome.CodeTaken _ -> refuse(ErrorCode.LINK_CODE_TAKEN);
      case LinkOutcome.HostBlocked _ -> refuse(ErrorCode.LINK_TARGET_BLOCKED);
      case LinkOutcome.NotFound() -> refuse(ErrorCode.LINK_NOT_FOUND);
    };
  }

  private Reply list(Request request, String owner) {
    int limit = number(request, "limit", 1, MOST, USUAL);
    Cursor from = Cursor.of(request.query("cursor"));
    List<StoredLink> page = links.page(owner, from.before(), from.code(), limit);
    JsonText all = JsonText.array();
    page.forEach(link -> all.add(json(link, request)));
    String next = page.size() < limit ? null : Cursor.after(page.getLast()).text();
    return Reply.json(200, JsonText.object().put("links", all).put("cursor", next).bytes());
  }

  private Reply one(Request request, String owner) {
    boolean byHour = "hour".equals(request.query("by"));
    int days = number(request, "days", 1, byHour ? MOST_DAYS_BY_HOUR : MOST_DAYS, byHour ? 2 : 30);
    if (!(links.find(owner, code(request)) instanceof LinkOutcome.Done(StoredLink link))) {
      return refuse(ErrorCode.LINK_NOT_FOUND);
    }
    Instant since = clock.instant().truncatedTo(ChronoUnit.DAYS).minus(days - 1L, ChronoUnit.DAYS);
    return Reply.json(
        200,
        json(link, request)
            .put("series_by", byHour ? "hour" : "day")
            .put("series", LinkJson.series(links.series(link.entry().code(), since, byHour)))
            .bytes());
  }

  private Reply disable(Request request, String owner) {
    return links.disable(owner, code(request)) instanceof LinkOutcome.Done(StoredLink link)
        ? Reply.json(200, json(link, request).bytes())
        : refuse(ErrorCode.LINK_NOT_FOUND);
  }

  private Reply load(Request request, String owner) {
    List<LinkCsv.Line> lines = LinkCsv.read(request.body(), address.own(request), clock.instant());
    List<LinkOutcome> outcomes =
        links.createAll(
            owner, lines.stream().map(LinkCsv.Line::link).flatMap(Optional::stream).toList());
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

  private Reply export(Request request, String owner) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(LinkJson.csvHead());
    Cursor at = Cursor.of(null);
    List<StoredLink> page;
    do {
      page = links.page(owner, at.before(), at.code(), 1_000);
      for (StoredLink link : page) {
        rows.add(LinkJson.csv(link, address.base(request), clock.instant()));
        at = Cursor.after(link);
      }
    } while (page.size() == 1_000 && rows.size() < MOST_EXPORTED);
    return Reply.bytes(200, "text/csv; charset=utf-8", LinkCsv.write(rows))
        .header("cache-control", "no-store")
        .header("content-disposition", "attachment; filename=\"shortlinks.csv\"");
  }

  private JsonText json(StoredLink link, Request request) {
    return LinkJson.of(link, address.base(request), clock.instant());
  }

  /// What nobody could have as a code is nobody's link.
  private static String code(Request request) {
    return LinkCode.read(request.pathParam("code")).map(LinkCode::value).orElse("");
  }

  private static int number(Request request, String name, int least, int most, int usual) {
    String text = request.query(name);
    if (text == null) {
      return usual;
    }
    if (!text.matches("[0-9]{1,6}")) {
      throw new InvalidRequest(name, "not_integer");
    }
    int value = Integer.parseInt(text);
    if (value < least || value > most) {
      throw new InvalidRequest(name, "out_of_range", least, most);
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
