package fairgate.queue;

import fairgate.kernel.Caller;
import fairgate.kernel.ProductId;
import fairgate.kernel.SessionId;
import fairgate.platform.http.EventStream;
import io.vertx.core.Vertx;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.zip.CRC32C;

/// The open event streams of this node. Each gets an event when its session's place changes.
///
/// A stream reads its place at intervals that become shorter as its turn comes nearer; the reads of
/// all streams share script runs. Sessions that this node makes ready get an event at once. The id
/// of an event is a checksum of its content, so a client that reconnects with `Last-Event-ID` gets
/// no event that it has seen.
final class PlaceStreams {
  private static final int NEXT_MS = 500;
  private static final int NEAR_MS = 1_000;
  private static final int FAR_MS = 3_000;
  private static final int NEAR = 200;
  private static final int AFTER_FAILURE_MS = 2_000;

  private final Vertx vertx;
  private final QueueService service;
  private final SaleNotices notices;
  private final Map<SessionId, List<Line>> lines = new ConcurrentHashMap<>();
  private final AtomicInteger open = new AtomicInteger();

  PlaceStreams(Vertx vertx, QueueService service, SaleNotices notices) {
    this.vertx = vertx;
    this.service = service;
    this.notices = notices;
  }

  int count() {
    return open.get();
  }

  /// Sends events to these sessions at once, where their streams are open on this node.
  void tell(List<SessionId> sessions) {
    for (SessionId session : sessions) {
      lines.getOrDefault(session, List.of()).forEach(Line::lookSoon);
    }
  }

  /// Sends the notice of a sale to all its streams. It needs no read of their places.
  void announce(ProductId product) {
    lines.values().forEach(all -> all.forEach(line -> line.announce(product)));
  }

  record Listener(SessionId session, Caller caller) {}

  /// Serves a stream that has just been opened. Called on the stream's event loop.
  void open(Listener listener, Place.View first, String lastEventId, EventStream stream) {
    SessionId session = listener.session();
    Line line = new Line(listener, first.place().product(), stream, lastEventId);
    open.incrementAndGet();
    lines.merge(
        session,
        List.of(line),
        (a, b) -> java.util.stream.Stream.concat(a.stream(), b.stream()).toList());
    stream.onClose(
        () -> {
          open.decrementAndGet();
          lines.computeIfPresent(
              session,
              (_, all) -> {
                List<Line> rest = all.stream().filter(other -> !other.equals(line)).toList();
                return rest.isEmpty() ? null : rest;
              });
        });
    line.show(Optional.of(first));
    line.announce(first.place().product());
  }

  /// One stream. Its fields are used on its event loop only.
  private final class Line {
    private final Listener listener;
    private final ProductId product;
    private final EventStream stream;
    private final io.vertx.core.Context home = vertx.getOrCreateContext();
    private String shown;
    private long timer = -1;
    private boolean looking;
    private boolean again;

    Line(Listener listener, ProductId product, EventStream stream, String shown) {
      this.listener = listener;
      this.product = product;
      this.stream = stream;
      this.shown = shown;
    }

    void lookSoon() {
      home.runOnContext(_ -> look());
    }

    void announce(ProductId sale) {
      if (sale.equals(product)) {
        // A client that reads too slowly gets it with its next status.
        boolean _ = stream.send("", "notice", PlaceJson.texts(notices.of(product)).toString());
      }
    }

    private void look() {
      vertx.cancelTimer(timer);
      if (stream.closed()) {
        return;
      }
      if (looking) {
        // The read in flight may have returned the state before the change.
        again = true;
        return;
      }
      looking = true;
      service
          .look(listener.session(), listener::caller)
          .onComplete(
              done -> {
                looking = false;
                if (again) {
                  again = false;
                  look();
                } else if (done.succeeded()) {
                  show(done.result());
                } else {
                  // The place is safe in Redis. The client keeps its last state for now.
                  later(AFTER_FAILURE_MS);
                }
              });
    }

    void show(Optional<Place.View> found) {
      Place.View view = found.orElse(null);
      if (view == null) {
        stream.close();
        return;
      }
      byte[] json = PlaceJson.bytes(view, notices.of(product));
      String id = checksum(view);
      if (!id.equals(shown)
          && stream.send(id, "status", new String(json, StandardCharsets.UTF_8))) {
        shown = id;
      }
      later(pause(view.place()));
    }

    private void later(int ms) {
      if (!stream.closed()) {
        timer = vertx.setTimer(ms, _ -> look());
      }
    }
  }

  private static int pause(Place place) {
    return switch (place.status()) {
      case READY_TO_PURCHASE, ACTIVE ->
          Math.min(place.pollAfterMs(), place.withinPresence(NEXT_MS));
      case WAITING -> place.withinPresence(place.ahead() < NEAR ? NEAR_MS : FAR_MS);
      case PURCHASED, EXPIRED -> FAR_MS;
    };
  }

  private static String checksum(Place.View view) {
    Place p = view.place();
    CRC32C crc = new CRC32C();
    String said =
        String.join(
            "|",
            p.status().wire(),
            Integer.toString(p.waitingPosition()),
            Integer.toString(p.activePosition()),
            Integer.toString(p.waitingTotal()),
            Integer.toString(p.ahead()),
            Integer.toString(p.activeTotal()),
            Long.toString(p.timeoutAt()),
            p.saleState(),
            Boolean.toString(p.soldOut()),
            p.ended(),
            p.order(),
            String.valueOf(view.token()));
    crc.update(said.getBytes(StandardCharsets.UTF_8));
    return Long.toHexString(crc.getValue());
  }
}
