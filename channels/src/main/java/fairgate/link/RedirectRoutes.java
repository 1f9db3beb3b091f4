package fairgate.link;

import static fairgate.platform.http.RouteLimits.FILES;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import fairgate.kernel.ClientAddress;
import fairgate.kernel.ErrorCode;
import fairgate.link.cache.LinkCache;
import fairgate.link.cache.LinkCache.Lookup;
import fairgate.link.cache.LinkEntry;
import fairgate.link.click.Bots;
import fairgate.link.click.Clicks;
import fairgate.link.click.Visits;
import fairgate.link.code.BlockedHosts;
import fairgate.link.code.ForwardQuery;
import fairgate.link.code.LinkCode;
import fairgate.platform.http.Refusal;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.http.Route;
import fairgate.platform.run.BlockingWork;
import fairgate.platform.text.QrSvg;
import io.nayuki.qrcodegen.QrCode;
import io.vertx.core.Future;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.zip.CRC32;
import java.util.zip.Deflater;
import org.jspecify.annotations.Nullable;

/// `GET /{code}` redirects, `/{code}+` shows where to, `/{code}.svg` and `.png` are its QR code.
///
/// Of a link with a limit, programs that show previews get the page of `/{code}+` instead of the
/// redirect, and browsers that look ahead a 503: neither uses up a visit.
///
/// The route matches every path of one segment that no other route has, and stays on the event
/// loop.
final class RedirectRoutes {
  private static final Map<Integer, Reply> BARE = new ConcurrentHashMap<>();
  private static final Reply FOUND = bare(302);
  private static final Future<Reply> NOT_FOUND = refused(ErrorCode.LINK_NOT_FOUND);
  private static final Future<Reply> GONE = refused(ErrorCode.LINK_GONE);

  /// Browsers discard a failed prefetch and send the request again when the user follows the link.
  private static final Duration PREFETCH_WAIT = Duration.ofSeconds(1);

  private final LinkAddress address;
  private final LinkCache cache;
  private final Counting counting;
  private final BlockedHosts hosts;
  private final @Nullable MissBudget misses;
  private final Clock clock;
  private final QrCodes qr = new QrCodes();

  record Counting(Clicks clicks, Visits visits, Bots bots) {}

  /// @param misses null = none
  RedirectRoutes(
      LinkAddress address,
      LinkCache cache,
      Counting counting,
      BlockedHosts hosts,
      @Nullable MissBudget misses,
      Clock clock) {
    this.address = address;
    this.cache = cache;
    this.counting = counting;
    this.hosts = hosts;
    this.misses = misses;
    this.clock = clock;
  }

  List<Route> routes() {
    return List.of(Route.get("/{code}", this::answer).limits(FILES.and("redirect").unslotted()));
  }

  /// Creates the reply for each request, which is faster than reading a cached one from distant
  /// memory.
  private static Reply redirect(Request request, Lookup.Hit hit) {
    int status = hit.status();
    Reply bare =
        status == FOUND.status() ? FOUND : BARE.computeIfAbsent(status, RedirectRoutes::bare);
    String sent = request.target();
    int query = sent.indexOf('?');
    if (query < 0) {
      return bare.withLocation(hit.place());
    }
    LinkEntry link = hit.entry();
    return bare.withLocation(
        Reply.encodedLocation(link.forward().add(link.url(), sent.substring(query + 1))));
  }

  private static Reply bare(int status) {
    return Reply.bytes(status, "", new byte[0])
        .header("cache-control", "private, no-store")
        .header("x-robots-tag", "noindex");
  }

  private Future<Reply> answer(Request request) {
    String text = request.pathParam("code");
    char last = text.charAt(text.length() - 1);
    if (last == '+' || text.indexOf('.') >= 0) {
      return aside(request, text);
    }
    Optional<LinkCode> code = LinkCode.read(text);
    if (code.isEmpty()) {
      return NOT_FOUND;
    }
    return look(request, code.get().value(), lookup -> answer(request, lookup));
  }

  /// Asks the cache, as often as the caller may.
  private Future<Reply> look(Request request, String code, Function<Lookup, Future<Reply>> then) {
    Lookup known = cache.known(code);
    if (known != null) {
      return then.apply(known);
    }
    MissBudget budget = misses;
    if (budget == null || !cache.isNew(code)) {
      return cache.find(code).compose(then);
    }
    ClientAddress caller = request.address();
    Duration wait = budget.take(caller);
    if (wait.isPositive()) {
      return tooMany(wait);
    }
    return cache
        .find(code)
        .compose(
            lookup -> {
              if (lookup instanceof Lookup.Absent) {
                budget.missed();
              } else {
                budget.giveBack(caller);
              }
              return then.apply(lookup);
            });
  }

  private Future<Reply> tooMany(Duration wait) {
    return Future.succeededFuture(
        Reply.refuse(
            Refusal.of(ErrorCode.RATE_LIMIT_EXCEEDED)
                .retryAfter(wait)
                .with("violated_policies", List.of(MissBudget.NAME))));
  }

  private Future<Reply> answer(Request request, Lookup lookup) {
    return switch (lookup) {
      case Lookup.Hit hit -> follow(request, hit);
      case Lookup.Absent _ -> NOT_FOUND;
      case Lookup.Unknown(Duration wait) -> away(wait);
    };
  }

  private Future<Reply> follow(Request request, Lookup.Hit hit) {
    long now = clock.millis();
    boolean plain = hit.always() && hosts.isEmpty();
    if (!plain && !isOpen(hit.entry(), now)) {
      return GONE;
    }
    Future<Reply> redirect = Future.succeededFuture(redirect(request, hit));
    if (request.isHead()) {
      return redirect;
    }
    if (hit.always() || hit.entry().maxVisits() == 0) {
      count(request, hit, now);
      return redirect;
    }
    if (Bots.isPrefetch(request.purpose())) {
      return away(PREFETCH_WAIT);
    }
    // A person who was mistaken for a program can use the button on the page.
    if (counting.bots().isPreview(request.userAgent())
        && request.query(ForwardQuery.FOLLOW) == null) {
      count(request, hit, now);
      return Future.succeededFuture(
          PreviewPage.of(hit.entry(), true, address.base(request), request));
    }
    return counting
        .visits()
        .take(hit.entry().code())
        .compose(
            passes -> {
              if (!passes) {
                return GONE;
              }
              count(request, hit, now);
              return redirect;
            });
  }

  private boolean isOpen(LinkEntry link, long now) {
    return link.state() == LinkEntry.State.ACTIVE
        && !link.expired(now)
        && !hosts.contains(link.host())
        && !(link.maxVisits() > 0 && counting.visits().usedUp(link.code()));
  }

  private void count(Request request, Lookup.Hit hit, long now) {
    String agent = request.userAgent();
    boolean bot = counting.bots().isBot(agent, request.purpose());
    counting.clicks().add(hit.clicks(), request.address(), agent, bot, now);
  }

  /// The preview and the pictures, which are not counted.
  private Future<Reply> aside(Request request, String text) {
    int end = text.endsWith("+") ? text.length() - 1 : text.lastIndexOf('.');
    String kind = text.substring(end);
    Optional<LinkCode> code = LinkCode.read(text.substring(0, end));
    if (code.isEmpty() || !List.of("+", ".svg", ".png").contains(kind)) {
      return NOT_FOUND;
    }
    return look(
        request,
        code.get().value(),
        lookup ->
            switch (lookup) {
              case Lookup.Hit hit -> show(request, hit.entry(), kind);
              case Lookup.Absent _ -> NOT_FOUND;
              case Lookup.Unknown(Duration wait) -> away(wait);
            });
  }

  private Future<Reply> show(Request request, LinkEntry link, String kind) {
    String base = address.base(request);
    if (kind.equals("+")) {
      boolean open = isOpen(link, clock.millis());
      return link.state() != LinkEntry.State.ACTIVE || hosts.contains(link.host())
          ? GONE
          : Future.succeededFuture(PreviewPage.of(link, open, base, request));
    }
    String target = base + "/" + link.code();
    // A picture takes a few hundred microseconds, too long for the event loop.
    return BlockingWork.call("link-qr", () -> draw(target, kind));
  }

  private Reply draw(String target, String kind) {
    boolean svg = kind.equals(".svg");
    return Reply.bytes(
            200, svg ? "image/svg+xml" : "image/png", svg ? qr.svg(target) : qr.png(target))
        .header("cache-control", "public, max-age=86400");
  }

  private static Future<Reply> away(Duration wait) {
    return Future.succeededFuture(
        Reply.refuse(Refusal.of(ErrorCode.SERVICE_UNAVAILABLE).retryAfter(wait)));
  }

  private static Future<Reply> refused(ErrorCode code) {
    return Future.succeededFuture(Reply.refuse(Refusal.of(code)));
  }

  /// QR codes of short addresses, with a quiet zone of four modules and error correction M.
  static final class QrCodes {
    private static final int QUIET = 4;
    private static final int PIXELS = 10;
    private static final byte[] SIGNATURE = {(byte) 0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};

    private final Cache<String, byte[]> made = Caffeine.newBuilder().maximumSize(1_000).build();

    byte[] svg(String text) {
      return made.get(
          "svg " + text,
          _ ->
              QrSvg.of(text, "xmlns=\"http://www.w3.org/2000/svg\"")
                  .getBytes(StandardCharsets.UTF_8));
    }

    /// One bit a pixel, ten pixels a module.
    byte[] png(String text) {
      return made.get("png " + text, _ -> drawPng(QrCode.encodeText(text, QrCode.Ecc.MEDIUM)));
    }

    /// Nothing but the four chunks a picture in black and white needs (PNG, third edition, 5.6).
    private static byte[] drawPng(QrCode code) {
      int side = (code.size + 2 * QUIET) * PIXELS;
      ByteBuffer rows = ByteBuffer.allocate(side * (1 + (side + 7) / 8));
      for (int y = 0; y < side; y++) {
        rows.put((byte) 0);
        for (int x = 0; x < side; x += 8) {
          int bits = 0;
          for (int i = 0; i < 8; i++) {
            boolean dark = code.getModule((x + i) / PIXELS - QUIET, y / PIXELS - QUIET);
            bits = bits << 1 | (dark ? 0 : 1);
          }
          rows.put((byte) bits);
        }
      }
      byte[] head = ByteBuffer.allocate(13).putInt(side).putInt(side).put((byte) 1).array();
      ByteArrayOutputStream png = new ByteArrayOutputStream();
      png.writeBytes(SIGNATURE);
      chunk(png, "IHDR", head);
      chunk(png, "IDAT", deflate(rows.array()));
      chunk(png, "IEND", new byte[0]);
      return png.toByteArray();
    }

    private static byte[] deflate(byte[] bytes) {
      Deflater deflater = new Deflater(Deflater.BEST_COMPRESSION);
      try {
        deflater.setInput(bytes);
        deflater.finish();
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        byte[] part = new byte[4096];
        while (!deflater.finished()) {
          out.write(part, 0, deflater.deflate(part));
        }
        return out.toByteArray();
      } finally {
        deflater.end();
      }
    }

    private static void chunk(ByteArrayOutputStream png, String type, byte[] data) {
      byte[] name = type.getBytes(StandardCharsets.US_ASCII);
      CRC32 crc = new CRC32();
      crc.update(name);
      crc.update(data);
      png.writeBytes(ByteBuffer.allocate(4).putInt(data.length).array());
      png.writeBytes(name);
      png.writeBytes(data);
      png.writeBytes(ByteBuffer.allocate(4).putInt((int) crc.getValue()).array());
    }
  }
}
