package fairgate.platform.http;

import fairgate.kernel.ErrorCode;
import fairgate.kernel.ServiceUnavailable;
import fairgate.platform.http.stream.Inflow;
import fairgate.platform.json.JsonText;
import fairgate.platform.text.Messages;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Puts a refusal into words: the error body of the API, RFC 9457 where the caller asks for it, or
/// a small page for a browser that strayed.
final class ErrorBody {
  private static final Logger LOG = LoggerFactory.getLogger(ErrorBody.class);
  private static final String PROBLEM = "application/problem+json";

  private ErrorBody() {}

  /// The reply for what a handler threw.
  static Reply render(Throwable failure, Request request) {
    return switch (failure) {
      case InvalidRequest problem -> render(problem, request);
      case ServiceUnavailable away -> {
        LOG.debug("{} {}: {}", request.method(), request.path(), away.getMessage(), away);
        Refusal refusal = Refusal.of(ErrorCode.SERVICE_UNAVAILABLE);
        yield render(refusal.retryAfter(away.retryAfter()), request);
      }
      case Inflow.BrokenOff part ->
          render(
              part.tooLong()
                  ? new InvalidRequest("", "body_too_large", part.limit())
                  : new InvalidRequest("", "body_incomplete"),
              request);
      case CompletionException wrapped when wrapped.getCause() != null ->
          render(wrapped.getCause(), request);
      case ExecutionException wrapped when wrapped.getCause() != null ->
          render(wrapped.getCause(), request);
      case Throwable other -> {
        LOG.error(
            "{} {} failed, request {}",
            request.method(),
            request.path(),
            request.requestId(),
            other);
        yield render(Refusal.of(ErrorCode.SERVER_ERROR), request);
      }
    };
  }

  private static Reply render(Refusal refusal, Request request) {
    return render(refusal, StatusOf.code(refusal.code()), request);
  }

  /// The reply for a refusal, in the caller's language and media type.
  static Reply render(Refusal refusal, int status, Request request) {
    request.kit().refused(refusal, request);
    return render(refusal, status, Messages.text(request.language(), key(refusal.code())), request);
  }

  /// The reply for a malformed request.
  static Reply render(InvalidRequest problem, Request request) {
    request.kit().refused(Refusal.of(ErrorCode.INVALID_REQUEST), request);
    String key = "invalid." + problem.problemKey();
    String text =
        Messages.has(key)
            ? Messages.text(request.language(), key, problem.messageArguments())
            : Messages.text(request.language(), key(ErrorCode.INVALID_REQUEST));
    Refusal refusal = Refusal.of(ErrorCode.INVALID_REQUEST);
    return render(
        problem.field().isEmpty() ? refusal : refusal.with("field", problem.field()),
        StatusOf.code(ErrorCode.INVALID_REQUEST),
        text,
        request);
  }

  /// The reply to a request whose head could not be read: 414 or 431 where it is too long, 400 for
  /// everything else.
  static Reply renderBadHead(@Nullable Throwable cause, Request request) {
    return switch (cause) {
      case TooLongHttpLineException _ -> badHead(414, "target_too_long", request);
      case TooLongHttpHeaderException _ -> badHead(431, "head_too_large", request);
      case null, default -> badHead(400, "malformed_head", request);
    };
  }

  private static Reply badHead(int status, String problem, Request request) {
    return render(new InvalidRequest("", problem), request).withStatus(status);
  }

  private static Reply render(Refusal refusal, int status, String message, Request request) {
    String accept = request.header("accept");
    Reply reply;
    if (accept != null && accept.contains(PROBLEM)) {
      reply =
          Reply.bytes(status, PROBLEM, problem(status, refusal, message, request))
              .header("cache-control", "no-store");
    } else if (accept != null && wantsPage(accept, request.path())) {
      reply = Reply.html(status, page(message, request));
    } else {
      reply = Reply.json(status, plain(refusal, message, request));
    }
    long seconds = refusal.retryAfterSeconds();
    return seconds == 0 ? reply : reply.header("retry-after", Long.toString(seconds));
  }

  private static byte[] plain(Refusal refusal, String message, Request request) {
    JsonText json =
        JsonText.object()
            .put("success", false)
            .put("error", refusal.code().name())
            .put("message", message);
    return rest(json, refusal, request);
  }

  private static byte[] problem(int status, Refusal refusal, String message, Request request) {
    JsonText json =
        JsonText.object()
            .put("type", "urn:fairgate:error:" + refusal.code().name())
            .put("title", Messages.text(request.language(), key(refusal.code())))
            .put("status", status)
            .put("detail", message)
            .put("success", false)
            .put("error", refusal.code().name());
    return rest(json, refusal, request);
  }

  private static byte[] rest(JsonText json, Refusal refusal, Request request) {
    json.put("request_id", request.requestId());
    long seconds = refusal.retryAfterSeconds();
    if (seconds > 0) {
      json.put("retry_after", seconds);
    }
    for (Map.Entry<String, Object> detail : refusal.details().entrySet()) {
      json.putAny(detail.getKey(), detail.getValue());
    }
    return json.bytes();
  }

  private static boolean wantsPage(String accept, String path) {
    return accept.contains("text/html")
        && !accept.contains("application/json")
        && !path.startsWith("/api/");
  }

  private static String page(String message, Request request) {
    return """
        <!doctype html>
        <html lang="%s">
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <title>%s</title>
        <link rel="icon" href="/assets/icon.svg" type="image/svg+xml">
        <link rel="stylesheet" href="/assets/style.css">
        <main id="main" class="refused">
        <h1>%s</h1>
        <p><a href="/">Fairgate</a></p>
        <p class="soft">%s</p>
        </main>
        </html>
        """
        .formatted(request.language().tag(), escape(message), escape(message), request.requestId());
  }

  private static String escape(String text) {
    return text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;");
  }

  private static String key(ErrorCode code) {
    return "error." + code.name();
  }
}
