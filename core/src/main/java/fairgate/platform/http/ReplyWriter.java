package fairgate.platform.http;

import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerResponse;
import org.jspecify.annotations.Nullable;

/// Writes replies with the default headers of their kind.
final class ReplyWriter {
  private static final CharSequence NOSNIFF_NAME =
      HttpHeaders.createOptimized("x-content-type-options");
  private static final CharSequence NOSNIFF = HttpHeaders.createOptimized("nosniff");
  private static final CharSequence NO_STORE = HttpHeaders.createOptimized("no-store");
  private static final CharSequence NO_CACHE = HttpHeaders.createOptimized("no-cache");
  private static final CharSequence POLICY = HttpHeaders.createOptimized("content-security-policy");
  private static final CharSequence REFERRER = HttpHeaders.createOptimized("referrer-policy");
  private static final CharSequence PERMISSIONS = HttpHeaders.createOptimized("permissions-policy");
  private static final CharSequence FRAMES = HttpHeaders.createOptimized("x-frame-options");
  private static final CharSequence OPENER =
      HttpHeaders.createOptimized("cross-origin-opener-policy");
  private static final CharSequence READERS =
      HttpHeaders.createOptimized("cross-origin-resource-policy");
  private static final CharSequence CROSS_ORIGIN = HttpHeaders.createOptimized("cross-origin");
  private static final CharSequence ANY = HttpHeaders.createOptimized("*");
  private static final CharSequence BUFFERING = HttpHeaders.createOptimized("x-accel-buffering");
  private static final CharSequence GZIP = HttpHeaders.createOptimized("gzip");
  private static final String NO_PERMISSIONS =
      "camera=(), microphone=(), geolocation=(), payment=(), usb=(), browsing-topics=()";

  private ReplyWriter() {}

  /// Writes head and body and ends the response.
  ///
  /// @param headOnly whether the request was HEAD
  /// @param last whether to close the connection after this reply
  static void write(
      HttpServerResponse out, boolean headOnly, Reply reply, Request request, boolean last) {
    head(out, reply, request);
    if (last) {
      out.headers().set(HttpHeaders.CONNECTION, HttpHeaders.CLOSE);
    }
    boolean bodiless = reply.status() == 204 || reply.status() == 304;
    Buffer body = reply.body();
    if (reply.isVaried()) {
      out.headers().add(HttpHeaders.VARY, HttpHeaders.ACCEPT_ENCODING);
      Buffer gzip = reply.gzipFor(request);
      if (gzip != null) {
        out.headers().set(HttpHeaders.CONTENT_ENCODING, GZIP);
        body = gzip;
      }
    }
    if (headOnly && !bodiless && reply.kind().held()) {
      out.headers().set(HttpHeaders.CONTENT_LENGTH, Integer.toString(body.length()));
    }
    if (headOnly || bodiless) {
      out.end();
    } else {
      out.end(body);
    }
  }

  /// Sets the status and the headers; writes nothing.
  static void head(HttpServerResponse out, Reply reply, Request request) {
    if (reply.status() != 200) {
      out.setStatusCode(reply.status());
    }
    MultiMap headers = out.headers();
    Reply.Line own = reply.lines();
    for (Reply.Line line = own; line != null; line = line.before()) {
      if (line.name().equals("set-cookie")) {
        cookie(headers, line.sentValue().toString(), request);
      } else {
        headers.add(line.sentName(), line.sentValue());
      }
    }
    if (reply.contentType().length() > 0) {
      byDefault(headers, own, HttpHeaders.CONTENT_TYPE, reply.contentType());
      byDefault(headers, own, NOSNIFF_NAME, NOSNIFF);
    }
    switch (reply.kind()) {
      case JSON, REFUSAL, STREAM -> byDefault(headers, own, HttpHeaders.CACHE_CONTROL, NO_STORE);
      case PAGE -> page(headers, own);
      case EVENTS -> {
        byDefault(headers, own, HttpHeaders.CACHE_CONTROL, NO_STORE);
        headers.set(BUFFERING, "no");
      }
      case OTHER -> {}
    }
    if (request.isForAnyOrigin()) {
      headers.set(HttpHeaders.ACCESS_CONTROL_ALLOW_ORIGIN, ANY);
      headers.set(READERS, CROSS_ORIGIN);
    }
    if (request.knownRequestId() != null) {
      byDefault(headers, own, Request.ID_HEADER, request.requestId());
    }
    Device device = request.knownDevice();
    if (device != null && device.fresh()) {
      String value = request.serverContext().devices().value(device.id());
      String name = Cookies.DeviceCookie.NAME;
      cookie(headers, Cookies.render(name, value, Cookies.DeviceCookie.MAX_AGE), request);
    }
  }

  /// Sends a cookie. Over https its name has the prefix `__Host-`, and the cookie without the
  /// prefix is removed.
  private static void cookie(MultiMap headers, String rendered, Request request) {
    if (!request.isSecure()) {
      headers.add(HttpHeaders.SET_COOKIE, rendered);
      return;
    }
    String secured = Cookies.secured(rendered);
    headers.add(HttpHeaders.SET_COOKIE, secured);
    String name = rendered.substring(0, rendered.indexOf('='));
    if (!secured.equals(rendered) && request.exactCookie(name) != null) {
      headers.add(HttpHeaders.SET_COOKIE, Cookies.takenBack(rendered));
    }
  }

  private static void page(MultiMap headers, Reply.@Nullable Line own) {
    byDefault(headers, own, HttpHeaders.CACHE_CONTROL, NO_CACHE);
    byDefault(headers, own, POLICY, HttpConfig.CONTENT_SECURITY_POLICY);
    byDefault(headers, own, REFERRER, "strict-origin-when-cross-origin");
    byDefault(headers, own, PERMISSIONS, NO_PERMISSIONS);
    byDefault(headers, own, FRAMES, "DENY");
    byDefault(headers, own, OPENER, "same-origin");
  }

  /// There are few headers, so a linear search is faster than the map.
  private static boolean isSet(Reply.@Nullable Line last, CharSequence name) {
    for (Reply.Line line = last; line != null; line = line.before()) {
      if (line.name().contentEquals(name)) {
        return true;
      }
    }
    return false;
  }

  /// @param own the headers set by the reply
  private static void byDefault(
      MultiMap headers, Reply.@Nullable Line own, CharSequence name, CharSequence value) {
    if (!isSet(own, name)) {
      headers.add(name, value);
    }
  }
}
