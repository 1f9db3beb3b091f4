package fairgate.platform.http;

import fairgate.platform.http.stream.Outflow;
import io.netty.util.AsciiString;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// An answer. Immutable, so a constant one may be shared by all requests; `header` and `cookie`
/// give a new one.
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

  /// The names of headers, which are those our code knows.
  private static final Map<String, CharSequence> NAMES = new ConcurrentHashMap<>();

  /// What decides the default headers and the way of sending.
  enum Kind {
    JSON,
    PAGE,
    OTHER,
    REFUSAL,
    EVENTS,
    STREAM;

    /// Whether the body is there before the reply is sent.
    boolean held() {
      return this != EVENTS && this != STREAM;
    }
  }

  /// One header, and those set before it; no name twice but `set-cookie`. What is sent is encoded
  /// once, for replies that are sent often.
  ///
  /// @param value null = what `sentValue` says
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

  /// A refusal, and its own members of the error body: made once, for some are sent often.
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

  /// A reply of finished JSON in UTF-8.
  public static Reply json(int status, byte[] json) {
    return new Reply(Kind.JSON, status, JSON, Buffer.buffer(json), null, null);
  }

  /// An error body in the caller's language; its status is that of the code.
  public static Reply refuse(Refusal refusal) {
    return refuse(StatusOf.code(refusal.code()), refusal);
  }

  /// An error body with a status of its own, where a contract gives a code another one than
  /// [StatusOf] does.
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
  /// @param contentType with its charset where it is text; `text/html` gets the headers of a page
  public static Reply bytes(int status, String contentType, byte[] bytes) {
    Kind kind = contentType.startsWith("text/html") ? Kind.PAGE : Kind.OTHER;
    return new Reply(kind, status, contentType, Buffer.buffer(bytes), null, null);
  }

  /// Sends the caller elsewhere.
  ///
  /// @param status 301, 302, 303, 307 or 308
  public static Reply redirect(int status, String location) {
    return new Reply(Kind.OTHER, status, "", EMPTY, null, null).header("location", location);
  }

  /// Where somebody is sent, checked and encoded once, for those whom many are sent to: see [#to].
  /// Throws IllegalArgumentException when it would break the head.
  public static CharSequence place(String location) {
    check(location);
    return new AsciiString(location);
  }

  public static Reply noContent() {
    return new Reply(Kind.OTHER, 204, "", EMPTY, null, null);
  }

  /// A stream of server-sent events. `onOpen` runs on the event loop once the head is written; it
  /// is not called for HEAD, nor while the server drains.
  public static Reply events(Consumer<EventStream> onOpen) {
    return new Reply(Kind.EVENTS, 200, EVENTS, EMPTY, onOpen, null);
  }

  /// A reply whose body is written piece by piece, as the client takes it; on a virtual thread,
  /// where `body` may wait. What it throws ends the connection, so that the client does not take a
  /// part for the whole. Nothing is written for HEAD.
  public static Reply stream(int status, String contentType, Outflow.Writer body) {
    return new Reply(Kind.STREAM, status, contentType, EMPTY, body, null);
  }

  /// The same reply with a header set. The last one of a name counts, except for `set-cookie`.
  /// Throws IllegalArgumentException when the value would break the head.
  public Reply header(String name, String value) {
    check(value);
    return with(Line.of(name.toLowerCase(Locale.ROOT), value, lines));
  }

  /// The same reply with another `location`, one made by [#place]. Throws IllegalArgumentException
  /// for any other.
  public Reply to(CharSequence place) {
    if (!(place instanceof AsciiString)) {
      throw new IllegalArgumentException("a location that was not checked");
    }
    return with(new Line(LOCATION, null, SENT_LOCATION, place, Line.without(LOCATION, lines)));
  }

  private static void check(String value) {
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      if ((c < ' ' && c != '\t') || c > 0xff || c == 0x7f) {
        throw new IllegalArgumentException("a header's value holds a character it may not");
      }
    }
  }

  /// The same reply with a cookie: `HttpOnly; SameSite=Lax; Path=/`. A maximum age of zero removes
  /// it.
  public Reply cookie(String name, String value, Duration maxAge) {
    return header("set-cookie", Cookies.render(name, value, maxAge));
  }

  public int status() {
    return status;
  }

  /// The body as text; empty for a refusal, whose body depends on the request.
  public String bodyText() {
    return body.toString(StandardCharsets.UTF_8);
  }

  /// The refusal this reply was made of, or null.
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

  Kind kind() {
    return kind;
  }

  CharSequence contentType() {
    return contentType;
  }

  Buffer body() {
    return body;
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

  Outflow.Writer writer() {
    if (special instanceof Outflow.Writer writer) {
      return writer;
    }
    throw new IllegalStateException("this reply is held whole");
  }

  Reply withStatus(int other) {
    return new Reply(kind, other, contentType, body, special, lines);
  }

  /// What a refusal's error body has of its own, as JSON members.
  byte[] members() {
    if (special instanceof Refused refused) {
      return refused.members;
    }
    throw new IllegalStateException("this reply is no refusal");
  }

  /// This refusal put into words, as an error body.
  Reply worded(byte[] json) {
    return new Reply(kind, status, contentType, Buffer.buffer(json), null, lines);
  }

  /// This refusal put into words of another kind.
  Reply worded(Reply other) {
    return new Reply(other.kind, status, other.contentType, other.body, null, lines);
  }

  private Reply with(Line line) {
    return new Reply(kind, status, contentType, body, special, line);
  }
}
