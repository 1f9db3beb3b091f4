package fairgate.platform.http;

import fairgate.kernel.ErrorCode;
import fairgate.platform.http.stream.ResponseBodyStream;
import fairgate.platform.json.JsonText;
import io.netty.util.AsciiString;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// An HTTP reply. Immutable: a constant reply may be shared by all requests. `header` and `cookie`
/// return copies.
///
/// JSON is sent with `cache-control: no-store`, pages with `no-cache` and the security headers,
/// unless the reply sets these headers itself.
public final class Reply {
  private static final CharSequence JSON = HttpHeaders.createOptimized("application/json");
  private static final CharSequence HTML = HttpHeaders.createOptimized("text/html; charset=utf-8");
  private static final CharSequence TEXT = HttpHeaders.createOptimized("text/plain; charset=utf-8");
  private static final CharSequence EVENTS = HttpHeaders.createOptimized("text/event-stream");
  private static final Buffer EMPTY = Buffer.buffer();
  private static final String LOCATION = "location";
  private static final CharSequence SENT_LOCATION = HttpHeaders.createOptimized(LOCATION);

  /// Encoded header names. Their number is bounded: all of them are constants in the code.
  private static final Map<String, CharSequence> NAMES = new ConcurrentHashMap<>();

  /// Determines the default headers and how the body is sent.
  enum Kind {
    JSON,
    PAGE,
    OTHER,
    REFUSAL,
    EVENTS,
    STREAM;

    /// Whether the body is held in memory.
    boolean held() {
      return this != EVENTS && this != STREAM;
    }
  }

  /// A linked list of headers, the latest first. No name occurs twice except `set-cookie`. Values
  /// are encoded once, for replies that are sent often.
  ///
  /// @param value null when only `sentValue` is set
  record Line(
      String name,
      @Nullable String value,
      CharSequence sentName,
      CharSequence sentValue,
      @Nullable Line before) {
    static Line of(String name, String value, @Nullable Line before) {
      return new Line(
          name,
          value,
          NAMES.computeIfAbsent(name, HttpHeaders::createOptimized),
          HttpHeaders.createOptimized(value),
          name.equals("set-cookie") ? before : without(name, before));
    }

    private static @Nullable Line without(String name, @Nullable Line from) {
      if (from == null || !has(name, from)) {
        return from;
      }
      Line rest = without(name, from.before);
      return from.name.equals(name)
          ? rest
          : new Line(from.name, from.value, from.sentName, from.sentValue, rest);
    }

    private static boolean has(String name, Line from) {
      for (Line line = from; line != null; line = line.before) {
        if (line.name.equals(name)) {
          return true;
        }
      }
      return false;
    }
  }

  /// A refusal with its members of the error body. They are rendered once, because some refusals
  /// are sent often.
  private static final class Refused {
    private final Refusal refusal;
    private final byte[] members;

    Refused(Refusal refusal) {
      this.refusal = refusal;
      this.members = refusal.members();
    }
  }

  private final Kind kind;
  private final int status;
  private final CharSequence contentType;
  private final Buffer body;
  private final @Nullable Object special;
  private final @Nullable Line lines;

  private Reply(
      Kind kind,
      int status,
      CharSequence contentType,
      Buffer body,
      @Nullable Object special,
      @Nullable Line lines) {
    this.kind = kind;
    this.status = status;
    this.contentType = contentType;
    this.body = body;
    this.special = special;
    this.lines = lines;
  }

  public static Reply json(int status, String json) {
    return new Reply(Kind.JSON, status, JSON, Buffer.buffer(json), null, null);
  }

  /// A reply with a JSON document in UTF-8.
  public static Reply json(int status, byte[] json) {
    return new Reply(Kind.JSON, status, JSON, Buffer.buffer(json), null, null);
  }

  public static Reply json(int status, JsonText json) {
    return json(status, json.bytes());
  }

  public static Reply refuse(ErrorCode code) {
    return refuse(Refusal.of(code));
  }

  /// An error body in the caller's language, with the status of the error code.
  public static Reply refuse(Refusal refusal) {
    return refuse(refusal.code().status(), refusal);
  }

  /// An error body with another status than that of its code, where a contract requires it.
  public static Reply refuse(int status, Refusal refusal) {
    Refused refused = new Refused(refusal);
    Reply reply = new Reply(Kind.REFUSAL, status, JSON, EMPTY, refused, null);
    long seconds = refusal.retryAfterSeconds();
    return seconds == 0 ? reply : reply.header("retry-after", Long.toString(seconds));
  }

  public static Reply html(int status, String html) {
    return new Reply(Kind.PAGE, status, HTML, Buffer.buffer(html), null, null);
  }

  public static Reply text(int status, String text) {
    return new Reply(Kind.OTHER, status, TEXT, Buffer.buffer(text), null, null);
  }

  /// A reply of any media type.
  ///
  /// @param contentType with its charset for text; `text/html` gets the headers of a page
  public static Reply bytes(int status, String contentType, byte[] bytes) {
    Kind kind = contentType.startsWith("text/html") ? Kind.PAGE : Kind.OTHER;
    return new Reply(kind, status, contentType, Buffer.buffer(bytes), null, null);
  }

  /// A redirect.
  ///
  /// @param status 301, 302, 303, 307 or 308
  public static Reply redirect(int status, String location) {
    return new Reply(Kind.OTHER, status, "", EMPTY, null, null).header("location", location);
  }

  /// Validates and encodes a location once, for redirects that many requests receive: see
  /// [#withLocation]. Throws IllegalArgumentException when the location contains a character that
  /// headers do not allow.
  public static CharSequence encodedLocation(String location) {
    check(location);
    return new AsciiString(location);
  }

  public static Reply noContent() {
    return new Reply(Kind.OTHER, 204, "", EMPTY, null, null);
  }

  /// A stream of server-sent events. `onOpen` runs on the event loop after the head is written; not
  /// for HEAD, and not while the server is stopping.
  public static Reply events(Consumer<EventStream> onOpen) {
    return new Reply(Kind.EVENTS, 200, EVENTS, EMPTY, onOpen, null);
  }

  /// A reply with a streamed body, written at the client's speed. `body` runs on a virtual thread
  /// and may block. The head is sent with the first 32 KiB. An exception before that has the reply
  /// of any other failure; later, it resets the connection, so that the client does not mistake a
  /// part for the whole. The first part is due by the deadline of the route, else the client gets
  /// 503; the whole is due in 15 minutes, or by that deadline if it is later. Nothing is written
  /// for HEAD.
  public static Reply stream(int status, String contentType, ResponseBodyStream.Writer body) {
    return new Reply(Kind.STREAM, status, contentType, EMPTY, body, null);
  }

  /// A copy with a header. A later value replaces an earlier one, except for `set-cookie`. Throws
  /// IllegalArgumentException when the value contains a character that headers do not allow.
  public Reply header(String name, String value) {
    check(value);
    return with(Line.of(name.toLowerCase(Locale.ROOT), value, lines));
  }

  /// A copy with a `location` made by [#encodedLocation]. Throws IllegalArgumentException for any
  /// other.
  public Reply withLocation(CharSequence location) {
    if (!(location instanceof AsciiString)) {
      throw new IllegalArgumentException("the location was not made by encodedLocation");
    }
    return with(new Line(LOCATION, null, SENT_LOCATION, location, Line.without(LOCATION, lines)));
  }

  private static void check(String value) {
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      if ((c < ' ' && c != '\t') || c > 0xff || c == 0x7f) {
        throw new IllegalArgumentException("a header value contains a forbidden character");
      }
    }
  }

  /// A copy with a cookie: `HttpOnly; SameSite=Lax; Path=/`. A maximum age of zero removes the
  /// cookie.
  public Reply cookie(String name, String value, Duration maxAge) {
    return header("set-cookie", Cookies.render(name, value, maxAge));
  }

  /// A copy whose body is sent in gzip to clients that accept it, when it is longer than 1,400
  /// bytes. The gzip is computed once and shared with copies of this reply.
  ///
  /// Only for bodies that do not contain both a secret of the visitor and text that somebody else
  /// can choose: the length would reveal the secret (BREACH). Refusals and streams stay as they
  /// are.
  public Reply compressible() {
    boolean whole = kind.held() && special == null;
    return whole ? new Reply(kind, status, contentType, body, new Compression(), lines) : this;
  }

  public int status() {
    return status;
  }

  /// The refusal of an error reply; otherwise null.
  public @Nullable Refusal refusal() {
    return special instanceof Refused refused ? refused.refusal : null;
  }

  /// The value set for a header by `header` or `cookie`, or null.
  public @Nullable String headerValue(String name) {
    for (Line line = lines; line != null; line = line.before()) {
      if (line.name().equals(name)) {
        return line.value() == null ? line.sentValue().toString() : line.value();
      }
    }
    return null;
  }

  Reply withRefusal(Refusal refusal) {
    return refusal.equals(refusal())
        ? this
        : new Reply(kind, status, contentType, body, new Refused(refusal), lines);
  }

  Kind kind() {
    return kind;
  }

  CharSequence contentType() {
    return contentType;
  }

  Buffer body() {
    return body;
  }

  public int bodyLength() {
    return body.length();
  }

  /// Whether the body depends on the client's `Accept-Encoding`.
  boolean isVaried() {
    return special instanceof Compression && body.length() > Compression.MIN_BYTES;
  }

  /// The body in gzip; null when this client receives the plain body.
  @Nullable Buffer gzipFor(Request request) {
    return special instanceof Compression compression
            && isVaried()
            && Compression.isAccepted(request.headers("accept-encoding"))
        ? compression.of(body)
        : null;
  }

  @Nullable Line lines() {
    return lines;
  }

  @SuppressWarnings("unchecked")
  Consumer<EventStream> onOpen() {
    if (special instanceof Consumer<?> consumer) {
      return (Consumer<EventStream>) consumer;
    }
    throw new IllegalStateException("this reply is not a stream");
  }

  ResponseBodyStream.Writer writer() {
    if (special instanceof ResponseBodyStream.Writer writer) {
      return writer;
    }
    throw new IllegalStateException("this reply has no streamed body");
  }

  Reply withStatus(int other) {
    return new Reply(kind, other, contentType, body, special, lines);
  }

  /// The refusal's additional members of the error body, as JSON.
  byte[] members() {
    if (special instanceof Refused refused) {
      return refused.members;
    }
    throw new IllegalStateException("this reply is not a refusal");
  }

  Reply worded(byte[] json) {
    return new Reply(kind, status, contentType, Buffer.buffer(json), null, lines);
  }

  /// A copy as a page. It has the headers of both; those of the refusal take precedence.
  Reply worded(Reply page) {
    Line both = page.lines;
    for (Line own = lines; own != null; own = own.before()) {
      Line rest = own.name().equals("set-cookie") ? both : Line.without(own.name(), both);
      both = new Line(own.name(), own.value(), own.sentName(), own.sentValue(), rest);
    }
    return new Reply(page.kind, status, page.contentType, page.body, null, both);
  }

  private Reply with(Line line) {
    return new Reply(kind, status, contentType, body, special, line);
  }
}
