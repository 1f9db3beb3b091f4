package fairgate.room.web;

import static fairgate.kernel.Role.OWNER;
import static fairgate.kernel.Role.SELLER;
import static fairgate.kernel.Role.VIEWER;

import fairgate.kernel.ErrorCode;
import fairgate.platform.admin.AdminGuard;
import fairgate.platform.admin.AdminInput;
import fairgate.platform.http.InvalidRequest;
import fairgate.platform.http.JsonBody;
import fairgate.platform.http.Refusal;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.http.Route;
import fairgate.platform.json.JsonText;
import fairgate.platform.observe.Rows;
import fairgate.room.Room;
import fairgate.room.RoomFeature;
import fairgate.room.RoomJson;
import fairgate.room.RoomStock;
import fairgate.room.Rooms;
import fairgate.room.token.RoomTokens;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/// `/api/admin/rooms`: the waiting rooms. Every method blocks.
record RoomAdmin(RoomFeature rooms) {
  private static final String ALL = "/api/admin/rooms";
  private static final String ONE = ALL + "/{id}";
  private static final AdminInput SETTINGS =
      AdminInput.body(RoomJson.FIELDS.toArray(String[]::new));
  private static final AdminInput CREATION =
      AdminInput.body(
          Stream.concat(Stream.of("id"), RoomJson.FIELDS.stream()).toArray(String[]::new));
  private static final long MAX_STOCK = 1_000_000_000;
  private static final long REDIS_SECONDS = 5;

  /// A node moves a room several times a second.
  private static final long PHASE_SECONDS = 2;

  private static final Rows ROWS =
      new Rows(LoggerFactory.getLogger(RoomAdmin.class), "rooms for operators");

  List<Route> routes(AdminGuard admin) {
    return List.of(
        Route.blockingGet(ALL, admin.guard(this::list)).roles(VIEWER),
        Route.blockingPost(ALL, admin.guard(CREATION, this::create)).roles(SELLER),
        Route.blockingGet(ONE, admin.guard(this::one)).roles(VIEWER),
        Route.blockingPut(ONE, admin.guard(SETTINGS, this::replace)).roles(SELLER),
        Route.blockingPatch(ONE, admin.guard(SETTINGS, this::change)).roles(SELLER),
        Route.blockingDelete(ONE, admin.guard(this::delete)).roles(SELLER).withReason(true),
        Route.blockingPut(ONE + "/mode", admin.guard(AdminInput.body("mode"), this::mode))
            .roles(SELLER),
        Route.blockingPut(
                ONE + "/stock", admin.guard(AdminInput.body("left", "per_visitor"), this::stock))
            .roles(SELLER),
        Route.blockingDelete(ONE + "/stock", admin.guard(this::forgetStock)).roles(SELLER),
        Route.blockingPost(ONE + "/revoke", admin.guard(this::revoke))
            .roles(SELLER)
            .withReason(true),
        Route.blockingPost(
                ONE + "/return-urls", admin.guard(AdminInput.body("url"), this::returnUrl))
            .roles(SELLER),
        Route.blockingGet(ONE + "/edge-keys", admin.guard(this::edgeKeys)).roles(OWNER));
  }

  private Reply list(Request request) {
    JsonText all = JsonText.array();
    ROWS.of(rooms.rooms().all(), this::json, Room::id).forEach(all::add);
    return Reply.json(200, JsonText.object().put("rooms", all).bytes());
  }

  private Reply one(Request request) {
    return find(request).map(room -> Reply.json(200, json(room).bytes())).orElseGet(this::unknown);
  }

  private Reply create(Request request) {
    JsonBody body = request.json();
    String id = body.text("id");
    if (!Room.isId(id)) {
      throw body.problem("id", "room_id");
    }
    byte[] settings = RoomJson.write(RoomJson.read(id, body, 1, 1)).bytes();
    return put(id, had -> had == null ? settings : null, request, 201);
  }

  /// Creates the room, or replaces its settings: absent ones get their defaults.
  private Reply replace(Request request) {
    String id = id(request);
    // Checked before the transaction, so that a bad body never opens one.
    Room checked = RoomJson.read(id, request.json(), 1, 1);
    return put(id, _ -> RoomJson.write(checked).bytes(), request, 200);
  }

  private Reply change(Request request) {
    String id = id(request);
    if (rooms.rooms().findOrReload(id).isEmpty()) {
      return unknown();
    }
    byte[] body = request.json().names().isEmpty() ? new byte[] {'{', '}'} : request.body();
    return put(id, had -> RoomJson.merged(had == null ? body : had, body), request, 200);
  }

  private Reply mode(Request request) {
    String id = id(request);
    if (rooms.rooms().findOrReload(id).isEmpty()) {
      return unknown();
    }
    JsonBody body = request.json();
    String mode = body.text("mode");
    byte[] change = JsonText.object().put("mode", mode).bytes();
    return put(id, had -> RoomJson.merged(had == null ? change : had, change), request, 200);
  }

  private Reply put(
      String id, UnaryOperator<byte @Nullable []> change, Request request, int status) {
    return switch (rooms.rooms().put(id, change, AdminGuard.actor(request))) {
      case Rooms.Change.Saved(Room room) -> changed(room, status);
      case Rooms.Change.Exists() -> Reply.refuse(Refusal.of(ErrorCode.ROOM_EXISTS).with("id", id));
      case Rooms.Change.TooManyRooms() -> Reply.refuse(Refusal.of(ErrorCode.TOO_MANY_ROOMS));
      case Rooms.Change.CannotDraw() -> Reply.refuse(Refusal.of(ErrorCode.ROOM_CANNOT_DRAW));
    };
  }

  /// A repeat gets the same reply as an unknown room.
  private Reply delete(Request request) {
    return rooms.rooms().delete(id(request)) ? Reply.noContent() : unknown();
  }

  /// All tokens become invalid: everybody inside waits again; waiting visitors keep their places.
  private Reply revoke(Request request) {
    return find(request)
        .flatMap(room -> rooms.rooms().beginEpoch(room.id(), AdminGuard.actor(request)))
        .map(room -> changed(room, 200))
        .orElseGet(this::unknown);
  }

  private Reply stock(Request request) throws TimeoutException {
    Room room = find(request).orElse(null);
    if (room == null) {
      return unknown();
    }
    JsonBody body = request.json();
    long left = body.longInteger("left", 0, MAX_STOCK);
    OptionalDouble share =
        body.has("per_visitor")
            ? OptionalDouble.of(body.number("per_visitor", 0.01, 100))
            : OptionalDouble.empty();
    RoomStock.Known known =
        rooms.stock().report(room.id(), left, share).await(REDIS_SECONDS, TimeUnit.SECONDS);
    return Reply.json(
        200,
        JsonText.object().put("left", known.left()).putAny("per_visitor", known.share()).bytes());
  }

  private Reply forgetStock(Request request) throws TimeoutException {
    Room room = find(request).orElse(null);
    if (room == null) {
      return unknown();
    }
    Void _ = rooms.stock().forget(room.id()).await(REDIS_SECONDS, TimeUnit.SECONDS);
    return Reply.noContent();
  }

  /// Signs an address to which visitors can return, for links that the shop makes itself.
  private Reply returnUrl(Request request) {
    Room room = find(request).orElse(null);
    if (room == null) {
      return unknown();
    }
    String url = request.json().text("url", 1, 2_048);
    if (!room.isReturnUrl(url)) {
      throw new InvalidRequest("url", "room_url");
    }
    return Reply.json(
        200, JsonText.object().put("return", rooms.returnUrls().sign(room.id(), url)).bytes());
  }

  /// The keys for edges that verify HS256; valid for the present epoch.
  private Reply edgeKeys(Request request) {
    Room room = find(request).orElse(null);
    if (room == null) {
      return unknown();
    }
    if (room.algorithm() != RoomTokens.Algorithm.HS256) {
      return Reply.refuse(Refusal.of(ErrorCode.NOT_FOUND));
    }
    JsonText keys = JsonText.object();
    for (RoomTokens.Type type : RoomTokens.Type.values()) {
      keys.put(
          type.word(),
          HexFormat.of().formatHex(rooms.keys().edgeKey(room.id(), type, room.epoch())));
    }
    return Reply.json(200, JsonText.object().put("epoch", room.epoch()).put("keys", keys).bytes());
  }

  private JsonText json(Room room) {
    return json(room, rooms.loop().node(room.id()).phase());
  }

  /// The room after a change, with the phase that the change has led to; null when Redis does not
  /// answer.
  private Reply changed(Room room, int status) {
    Room.Phase phase;
    try {
      phase =
          rooms
              .loop()
              .node(room.id())
              .phaseWith(room.version())
              .await(PHASE_SECONDS, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      phase = null;
    }
    return Reply.json(status, json(room, phase).bytes());
  }

  private JsonText json(Room room, Room.@Nullable Phase phase) {
    JsonText json = JsonText.object().put("id", room.id());
    json.put("epoch", room.epoch()).put("version", room.version());
    json.put("phase", phase == null ? null : phase.word());
    json.putAny("waiting", rooms.loop().node(room.id()).waiting());
    return json.put("settings", RoomJson.write(room));
  }

  private Optional<Room> find(Request request) {
    return rooms.rooms().findOrReload(id(request));
  }

  private static String id(Request request) {
    String id = request.pathParam("id");
    if (!Room.isId(id)) {
      throw new InvalidRequest("id", "room_id");
    }
    return id;
  }

  private Reply unknown() {
    return Reply.refuse(Refusal.of(ErrorCode.ROOM_NOT_FOUND));
  }
}
