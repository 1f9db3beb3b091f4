package fairgate.room.web;

import static fairgate.platform.http.RouteLimits.FREE;
import static fairgate.platform.http.RouteLimits.PAGE;

import fairgate.kernel.ErrorCode;
import fairgate.kernel.OrderDraws;
import fairgate.platform.http.FormBody;
import fairgate.platform.http.Handler;
import fairgate.platform.http.Method;
import fairgate.platform.http.Refusal;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.http.Route;
import fairgate.platform.json.Json;
import fairgate.platform.json.JsonObject;
import fairgate.platform.json.JsonText;
import fairgate.platform.page.Assets;
import fairgate.platform.page.Dictionary;
import fairgate.platform.page.PageFrame;
import fairgate.platform.page.PageSettings;
import fairgate.platform.page.Visit;
import fairgate.platform.page.Wording;
import fairgate.platform.text.FeatureFiles;
import fairgate.room.Room;
import fairgate.room.RoomFeature;
import fairgate.room.RoomNode;
import fairgate.room.RoomPlaces;
import fairgate.room.RoomPlaces.TicketOutcome;
import fairgate.room.RoomService.EntryOutcome;
import fairgate.room.token.ReturnUrls;
import io.vertx.core.Future;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/// `/q/{room}/`: the page of a waiting room, and the script for pages of the protected site.
///
/// The page has nothing personal: its module gets the ticket and computes the place.
final class RoomPages {
  private static final String SCRIPT = "fairgate/room/web/room.js";
  private static final String SCRIPT_CACHE = "public, max-age=300";

  private static final byte[] DOT =
      Base64.getDecoder().decode("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7");

  /// A silent visitor has left after ten minutes at the earliest.
  private static final String DOT_CACHE = "private, max-age=120";

  /// The parameter of the page, and the field of its form: the signed address to return to.
  private static final String RETURN = "return";

  /// Orders that are not that of arrival; each has a text.
  private static final Set<String> DRAWN = Set.of("shuffle", "draw");

  private static final Duration PLACE_LIFE = Duration.ofDays(1);

  private final RoomFeature rooms;
  private final PageSettings settings;
  private final PageFrame frame;
  private final Clock clock;

  RoomPages(RoomFeature rooms, PageSettings settings, Clock clock) {
    this.rooms = rooms;
    this.settings = settings;
    this.clock = clock;
    this.frame = new PageFrame(settings, new Assets().base());
  }

  List<Route> routes() {
    return List.of(
        Route.get("/q/{room}", RoomPages::withSlash).limits(PAGE),
        Route.get("/q/{room}/", inRoom(this::show)).limits(PAGE),
        Route.post("/q/{room}/wait", inRoom(this::join)).doing(Method.POST, "/q/{room}/join"),
        Route.get("/q/{room}/wait/{block}", inRoom(this::block)).limits(FREE),
        Route.post("/q/{room}/wait/enter", inRoom(this::enter))
            .doing(Method.POST, "/q/{room}/enter"),
        Route.get("/q/{room}/dot.gif", inRoom(this::here)).doing(Method.POST, "/q/{room}/here"),
        Route.get("/q/{room}/room.js", inRoom((room, _) -> script(room)))
            .limits(FREE)
            .forAnyOrigin());
  }

  private Handler inRoom(BiFunction<Room, Request, Future<Reply>> page) {
    return request ->
        rooms
            .rooms()
            .find(request.pathParam("room"))
            .map(room -> page.apply(room, request))
            .orElseGet(() -> unknown(request));
  }

  /// To the page of a room, from its address without the final slash. The query stays.
  private static Future<Reply> withSlash(Request request) {
    // The target may be a whole URL.
    String target = request.target().substring(request.target().indexOf("/q/"));
    int query = target.indexOf('?');
    int end = query < 0 ? target.length() : query;
    return Future.succeededFuture(
        Reply.redirect(308, target.substring(0, end) + "/" + target.substring(end)));
  }

  private Future<Reply> show(Room room, Request request) {
    Visit visit = Visit.of(request, settings, clock.instant());
    String target = target(request, room);
    String signed = target.isEmpty() ? "" : rooms.returnUrls().sign(room.id(), target);
    String title = title(room, visit);
    JsonText data =
        JsonText.object()
            .put("room", room.id())
            .put("product", room.challengeId().value())
            .put("challenge", room.challenge())
            .put("target", target)
            .put("return", signed)
            .put("title", title)
            .put("late", OrderDraws.LATE_SECONDS);
    return Future.succeededFuture(
        frame.reply(
            visit,
            200,
            PageFrame.Content.of(
                title,
                "room",
                "waiting.js",
                out ->
                    JteroomGenerated.render(
                        out,
                        null,
                        visit.wording(),
                        title,
                        room.look().logoUrl(),
                        !room.challenge(),
                        !settings.contact().isEmpty(),
                        room.id(),
                        signed),
                data)));
  }

  /// The address to return to: a signed one, or one of the room's hosts, else the room's own.
  private String target(Request request, Room room) {
    String signed = request.query(RETURN);
    return signed == null
        ? Optional.ofNullable(request.query("url"))
            .filter(room::isUnsignedReturnUrl)
            .filter(url -> url.length() <= ReturnUrls.MAX_LENGTH)
            .orElse(room.look().returnUrl())
        : target(room, signed);
  }

  private String target(Room room, String signed) {
    return rooms
        .returnUrls()
        .open(room.id(), signed)
        .filter(room::isReturnUrl)
        .orElse(room.look().returnUrl());
  }

  /// Where a visitor without JavaScript returns to, signed: the pages of the blocks are the same
  /// for everybody.
  private static String returnCookie(Room room) {
    return "fairgate_return_" + room.id();
  }

  private String keptTarget(Request request, Room room) {
    return target(room, Objects.requireNonNullElse(request.cookie(returnCookie(room)), ""));
  }

  private static String title(Room room, Visit visit) {
    String own = room.look().titles().get(visit.language());
    return own == null ? visit.words().text("room.nojs.title") : own;
  }

  /// How many are ahead of one block of tickets: the same page for everybody in it.
  private Future<Reply> block(Room room, Request request) {
    String number = request.pathParam("block");
    byte[] head = rooms.loop().node(room.id()).headBytes();
    if (head.length == 0 || !number.matches("[0-9]{1,9}")) {
      return unknown(request);
    }
    Dictionary words = Dictionary.of(request.language());
    Visit visit =
        new Visit(
            request,
            new Wording(words, settings.currency(), settings.zone(), clock.instant()),
            false);
    Stage stage = stage(room, Json.parseObject(head), Long.parseLong(number), visit.wording());
    String title = title(room, visit);
    String message = room.look().messages().getOrDefault(request.language(), "");
    Reply page =
        frame.reply(
            visit,
            200,
            PageFrame.Content.plain(
                    title,
                    out ->
                        JteroomBlockGenerated.render(
                            out, null, visit.wording(), title, stage, message, room.id()))
                .withRefresh("10"));
    return Future.succeededFuture(
        page.header("cache-control", "public, s-maxage=5").header("vary", "accept-language"));
  }

  /// What the page of a block says.
  ///
  /// @param canEnter whether somebody of the block may enter now
  /// @param shop where to go when nobody has to wait any more; else empty
  record Stage(String heading, String more, boolean canEnter, String shop) {}

  private static Stage stage(Room room, JsonObject head, long block, Wording words) {
    String shop = room.look().returnUrl().isEmpty() ? "/" : room.look().returnUrl();
    String phase = String.valueOf(head.get("phase"));
    return switch (phase) {
      case "off" ->
          new Stage(words.text("room.nojs.off"), words.text("room.nojs.off.more"), false, shop);
      case "ended" ->
          new Stage(words.text("room.ended.title"), words.text("room.ended.more"), false, shop);
      case "paused" ->
          new Stage(words.text("room.paused.title"), words.text("room.paused.more"), false, "");
      case "before" -> new Stage(words.text("room.before.title"), before(head, words), false, "");
      default ->
          new Stage(words.text("room.open.title"), ahead(Ahead.of(head, block), words), true, "");
    };
  }

  private static String before(JsonObject head, Wording words) {
    if (head.get("draw") instanceof JsonObject draw
        && draw.get("at") instanceof Long at
        && draw.get("n") instanceof Long tickets) {
      boolean isLate = head.get("issued") instanceof Long now && now > at + OrderDraws.LATE_SECONDS;
      return words
          .words()
          .text(isLate ? "room.drawing.late" : "room.drawing", "time", minute(at, words))
          .replace("{n}", words.number(tickets));
    }
    String order = String.valueOf(head.get("order"));
    return words.sentences(
        words.text(DRAWN.contains(order) ? "room." + order : "room.before.more"),
        head.get("opens") instanceof Long opens
            ? words.words().text("room.opens", "time", minute(opens, words))
            : "");
  }

  private static String minute(long seconds, Wording words) {
    return words.time(Instant.ofEpochSecond(seconds));
  }

  private static String ahead(Ahead ahead, Wording words) {
    return ahead.to() == 0
        ? words.text("room.nojs.soon")
        : words
            .words()
            .text("room.nojs.between", "from", words.number(ahead.from()))
            .replace("{to}", words.number(ahead.to()));
  }

  /// The people ahead of the first and of the last ticket of a block.
  private record Ahead(long from, long to) {
    static Ahead of(JsonObject head, long block) {
      long bits = number(head.get("block"));
      long cursor = number(head.get("cursor"));
      long last = number(head.get("last"));
      List<?> gone = head.get("gone") instanceof List<?> list ? list : List.of();
      long first = block << bits;
      long end = Math.min(last, (block + 1) << bits);
      long left = 0;
      for (long k = cursor >> bits; k < block && k < gone.size(); k++) {
        left += number(gone.get((int) k));
      }
      return new Ahead(Math.max(0, first - cursor - left), Math.max(0, end - cursor - left));
    }

    private static long number(@Nullable Object value) {
      return value instanceof Long number ? number : 0;
    }
  }

  /// Gives a visitor without JavaScript a ticket. The place token is in a cookie, and the secret
  /// behind it is derived from the browser's own cookie. A room with a challenge refuses all but
  /// those whose appeal was granted; the refusal links to the appeal.
  private Future<Reply> join(Room room, Request request) {
    String signed =
        FormBody.field(request, RETURN)
            .filter(text -> rooms.returnUrls().open(room.id(), text).isPresent())
            .orElse("");
    String target = target(room, signed);
    return rooms
        .places()
        .take(
            new RoomPlaces.TicketRequest(
                room,
                "",
                request.device(),
                rooms.places().bindingOf(room, request.device().id()),
                request.clientAddress(),
                request.caller()))
        .map(
            outcome ->
                switch (outcome) {
                  case TicketOutcome.Refused(Refusal refusal) ->
                      elsewhere(room, "", target, refusal);
                  case TicketOutcome.Given given ->
                      Reply.redirect(303, blockPage(room, given.ticket()))
                          .cookie(RoomPlaces.placeCookie(room.id()), given.place(), PLACE_LIFE)
                          .cookie(returnCookie(room), signed, PLACE_LIFE);
                });
  }

  private String blockPage(Room room, long ticket) {
    long block = rooms.loop().node(room.id()).drawn(ticket) >> RoomNode.BLOCK_BITS;
    return "/q/" + room.id() + "/wait/" + block;
  }

  /// Where a visitor without JavaScript goes on after a refusal, which is no page.
  private Reply elsewhere(Room room, String place, String target, Refusal refusal) {
    ErrorCode code = refusal.code();
    if (code == ErrorCode.NOT_YOUR_TURN) {
      return rooms
          .places()
          .place(room, place)
          .map(claims -> Reply.redirect(303, blockPage(room, claims.ticket())))
          .orElseGet(() -> Reply.refuse(refusal));
    }
    if (code == ErrorCode.PLACE_GONE || code == ErrorCode.INVALID_PLACE_TOKEN) {
      return Reply.redirect(303, "/q/" + room.id() + "/");
    }
    boolean isOpen = code == ErrorCode.ALREADY_INSIDE || code == ErrorCode.ROOM_NOT_WAITING;
    return isOpen && !target.isEmpty() ? Reply.redirect(303, target) : Reply.refuse(refusal);
  }

  /// A dot on the page of a block, which is the same for everybody: the browser loads it every two
  /// minutes, and so its visitor stays present.
  private Future<Reply> here(Room room, Request request) {
    String place = request.cookie(RoomPlaces.placeCookie(room.id()));
    return place == null
        ? unknown(request)
        : rooms
            .places()
            .here(room, place)
            .map(_ -> Reply.bytes(200, "image/gif", DOT).header("cache-control", DOT_CACHE));
  }

  private Future<Reply> enter(Room room, Request request) {
    String place = request.cookie(RoomPlaces.placeCookie(room.id()));
    String target = keptTarget(request, room);
    if (place == null || target.isEmpty()) {
      return unknown(request);
    }
    String secret = rooms.places().secretOf(room, request.device().id());
    return rooms
        .service()
        .enter(room, new RoomPlaces.Possession(place, secret, null, request.path()))
        .map(
            outcome ->
                switch (outcome) {
                  case EntryOutcome.Refused(Refusal refusal) ->
                      elsewhere(room, place, target, refusal);
                  case EntryOutcome.Admitted admitted ->
                      Reply.redirect(
                              303, rooms.returnUrls().passUrl(room.id(), target, admitted.token()))
                          .header("cache-control", "no-store");
                });
  }

  /// The script that a page of the protected site can include; it is told its room.
  private Future<Reply> script(Room room) {
    String script = new String(FeatureFiles.read(SCRIPT), StandardCharsets.UTF_8);
    byte[] bytes = script.replace("{room}", room.id()).getBytes(StandardCharsets.UTF_8);
    return Future.succeededFuture(
        Reply.bytes(200, "text/javascript; charset=utf-8", bytes)
            .header("cache-control", SCRIPT_CACHE));
  }

  /// Visitors of a deleted room are led to its shop.
  private Future<Reply> unknown(Request request) {
    Refusal refusal = Refusal.of(ErrorCode.ROOM_NOT_FOUND);
    return Future.succeededFuture(
        Reply.refuse(
            rooms
                .rooms()
                .afterTheEnd(request.pathParam("room"))
                .map(url -> refusal.with("return_url", url))
                .orElse(refusal)));
  }
}
