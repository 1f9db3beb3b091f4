package fairgate.draw;

import static fairgate.platform.http.RouteLimits.FILES;
import static fairgate.platform.http.RouteLimits.RECORD;

import fairgate.kernel.ErrorCode;
import fairgate.kernel.ServiceUnavailable;
import fairgate.platform.http.Refusal;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.http.Route;
import fairgate.platform.http.stream.ResponseBodyStream;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.function.Function;

/// The routes of the public record. Pages of any origin may read them, also the verifier that was
/// opened from disk.
final class DrawRecordRoutes {
  private static final String TEXT = "text/plain; charset=utf-8";
  private static final String BYTES = "application/octet-stream";
  private static final String TAR = "application/x-tar";
  private static final String NEVER_CHANGES = "public, max-age=31536000, immutable";
  private static final String FOR_A_MINUTE = "public, max-age=60";
  private static final String FOR_A_SECOND = "public, max-age=1";

  /// Large files that are sent at the same time. Each holds a few tiles in memory.
  private static final int MAX_LARGE = 8;

  /// So that slow readers at one address leave some for others.
  private static final int MAX_LARGE_OF_ADDRESS = 2;

  private static final Duration BUSY = Duration.ofSeconds(5);

  private final Draws draws;
  private final DrawRecords records;
  private final ReaderPlaces large = new ReaderPlaces(MAX_LARGE, MAX_LARGE_OF_ADDRESS);

  DrawRecordRoutes(Draws draws, DrawRecords records) {
    this.draws = draws;
    this.records = records;
  }

  List<Route> routes() {
    return List.of(
        Route.blockingGet("/log/{path*}", this::houseLog).limits(FILES.unslotted()).forAnyOrigin(),
        Route.blockingGet("/draws/{id}/log/{path*}", this::entriesLog)
            .limits(FILES.unslotted())
            .forAnyOrigin(),
        Route.blockingGet("/draws/{id}/{file}", this::file).limits(RECORD).forAnyOrigin());
  }

  private Reply houseLog(Request request) {
    String path = request.pathParam("path");
    return log(path, records.houseLog(path));
  }

  private Reply entriesLog(Request request) {
    String path = request.pathParam("path");
    return ofDraw(request, draw -> log(path, records.entriesLog(draw, path)));
  }

  /// Partial tiles do not change either, but they are soon out of use.
  private static Reply log(String path, Optional<byte[]> content) {
    boolean isCheckpoint = path.equals("checkpoint");
    String life = isCheckpoint ? FOR_A_SECOND : path.contains(".p/") ? FOR_A_MINUTE : NEVER_CHANGES;
    return content
        .map(bytes -> found(isCheckpoint ? TEXT : BYTES, life, bytes))
        .orElseGet(DrawRecordRoutes::missing);
  }

  private Reply file(Request request) {
    return ofDraw(request, draw -> file(draw, request.pathParam("file"), request));
  }

  private Reply file(Draw draw, String name, Request request) {
    if (name.equals("bundle.tar")) {
      return stream(TAR, request, out -> records.writeBundle(draw, out))
          .header("content-disposition", "attachment; filename=\"" + draw.id() + ".tar\"")
          .header("cache-control", draw.state().isOver() ? FOR_A_MINUTE : FOR_A_SECOND);
    }
    if (name.equals(DrawRecords.RESULT)) {
      return DrawRecords.hasResult(draw) || DrawRecords.hasResult(records.fresh(draw))
          ? stream(BYTES, request, out -> records.writeResult(draw, out))
              .header("cache-control", FOR_A_MINUTE)
          : missing();
    }
    return records
        .file(draw, name)
        .map(bytes -> found(TEXT, FOR_A_MINUTE, bytes))
        .orElseGet(DrawRecordRoutes::missing);
  }

  private Reply ofDraw(Request request, Function<Draw, Reply> reply) {
    return draws.find(request.pathParam("id")).map(reply).orElseGet(DrawRecordRoutes::missing);
  }

  /// A large file. Eight are written at the same time, two of them to one address; further requests
  /// get 503.
  private Reply stream(String type, Request request, ResponseBodyStream.Writer body) {
    String address = request.clientAddress();
    // Saves a thread.
    if (!request.isHead() && large.isFull(address)) {
      return Reply.refuse(Refusal.of(ErrorCode.SERVICE_UNAVAILABLE).retryAfter(BUSY))
          .header("cache-control", "no-store");
    }
    return Reply.stream(
        200,
        type,
        out -> {
          // Not before: a request whose client has gone never gets here.
          if (!large.enter(address)) {
            throw new ServiceUnavailable("too many large files", BUSY);
          }
          try {
            body.writeTo(out);
          } finally {
            large.leave(address);
          }
        });
  }

  private static Reply found(String type, String life, byte[] content) {
    return Reply.bytes(200, type, content).header("cache-control", life);
  }

  private static Reply missing() {
    return Reply.refuse(Refusal.of(ErrorCode.NOT_FOUND)).header("cache-control", "no-store");
  }

  /// The readers of large files at the same time, in all and of one address, so that slow readers
  /// at one address leave places for others. Thread-safe; keeps nothing of addresses without a
  /// reader.
  static final class ReaderPlaces {
    private final Semaphore all;
    private final int perAddress;
    private final Map<String, Integer> byAddress = new ConcurrentHashMap<>();

    ReaderPlaces(int max, int perAddress) {
      this.all = new Semaphore(max);
      this.perAddress = perAddress;
    }

    /// Whether a reader at this address has no place now.
    boolean isFull(String address) {
      return all.availablePermits() == 0 || byAddress.getOrDefault(address, 0) >= perAddress;
    }

    /// Takes a place, which `leave` gives back; false if there is none.
    boolean enter(String address) {
      if (!all.tryAcquire()) {
        return false;
      }
      if (byAddress.merge(address, 1, Integer::sum) > perAddress) {
        leave(address);
        return false;
      }
      return true;
    }

    void leave(String address) {
      var _ = byAddress.computeIfPresent(address, (_, count) -> count > 1 ? count - 1 : null);
      all.release();
    }
  }
}
