package fairgate.platform.http;

import fairgate.kernel.ErrorCode;
import fairgate.kernel.ServiceUnavailable;
import fairgate.platform.http.stream.Inflow;
import fairgate.platform.json.JsonText;
import fairgate.platform.text.Language;
import fairgate.platform.text.Messages;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
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
  private static final String CACHE = "cache-control";

  /// What a caller is told of a refusal: the sentence, and the error body as far as it is the same
  /// for everybody. Those of the codes are made once, for a flood is answered with them.
  private static final class Text {
    private static final Map<Language, Map<ErrorCode, Text>> MADE = made();

    private final String message;

    /// The error body up to the request id.
    private final byte[] begun;

    private Text(String message, byte[] begun) {
      this.message = message;
      this.begun = begun;
    }

    /// The sentence of a code.
    static Text of(Language language, ErrorCode code) {
      return Objects.requireNonNull(Objects.requireNonNull(MADE.get(language)).get(code));
    }

    /// A sentence of its own.
    static Text of(ErrorCode code, String message) {
      JsonText json =
          JsonText.object()
              .put("success", false)
              .put("error", code.name())
              .put("message", message)
              .put("request_id", "");
      byte[] inside = json.inside();
      byte[] begun = new byte[inside.length];
      begun[0] = '{';
      System.arraycopy(inside, 0, begun, 1, inside.length - 1);
      return new Text(message, begun);
    }

    String message() {
      return message;
    }

    /// The error body.
    ///
    /// @param requestId letters, digits, `-` and `_`
    /// @param more further members as JSON; may be empty
    byte[] body(String requestId, byte[] more) {
      byte[] id = requestId.getBytes(StandardCharsets.ISO_8859_1);
      int length = begun.length + id.length + 2 + more.length + (more.length > 0 ? 1 : 0);
      byte[] body = Arrays.copyOf(begun, length);
      System.arraycopy(id, 0, body, begun.length, id.length);
      int at = begun.length + id.length;
      body[at++] = '"';
      if (more.length > 0) {
        body[at++] = ',';
        System.arraycopy(more, 0, body, at, more.length);
      }
      body[length - 1] = '}';
      return body;
    }

    private static Map<Language, Map<ErrorCode, Text>> made() {
      Map<Language, Map<ErrorCode, Text>> all = new EnumMap<>(Language.class);
      for (Language language : Language.values()) {
        Map<ErrorCode, Text> texts = new EnumMap<>(ErrorCode.class);
        for (ErrorCode code : ErrorCode.values()) {
          texts.put(code, of(code, Messages.text(language, "error." + code.name())));
        }
        all.put(language, texts);
      }
      return all;
    }
  }

  private ErrorBody() {}

  /// The reply for what a handler threw.
  static Reply render(Throwable failure, Request request) {
    return switch (failure) {
      case InvalidRequest problem -> render(problem, request);
      case ServiceUnavailable away -> {
        LOG.debug("{} {}: {}", request.method(), request.path(), away.getMessage(), away);
        Refusal refusal = Refusal.of(ErrorCode.SERVICE_UNAVAILABLE);
        yield render(Reply.refuse(refusal.retryAfter(away.retryAfter())), request);
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
        yield render(Reply.refuse(Refusal.of(ErrorCode.SERVER_ERROR)), request);
      }
    };
  }

  /// A refusal in the caller's language and media type; any other reply as it is.
  static Reply render(Reply reply, Request request) {
    Refusal refusal = reply.refusal();
    if (refusal == null) {
      return reply;
    }
    request.kit().refused(refusal, request);
    return render(reply, refusal, Text.of(request.language(), refusal.code()), request);
  }

  /// The reply for a malformed request.
  static Reply render(InvalidRequest problem, Request request) {
    request.kit().refused(Refusal.of(ErrorCode.INVALID_REQUEST), request);
    String key = "invalid." + problem.problemKey();
    Text text =
        Messages.has(key)
            ? Text.of(
                ErrorCode.INVALID_REQUEST,
                Messages.text(request.language(), key, problem.messageArguments()))
            : Text.of(request.language(), ErrorCode.INVALID_REQUEST);
    Refusal refusal = Refusal.of(ErrorCode.INVALID_REQUEST);
    Refusal told = problem.field().isEmpty() ? refusal : refusal.with("field", problem.field());
    return render(Reply.refuse(told), told, text, request);
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

  private static Reply render(Reply reply, Refusal refusal, Text text, Request request) {
    String accept = request.accept();
    if (accept != null && accept.contains(PROBLEM)) {
      byte[] json = problem(reply, refusal, text.message(), request);
      return reply.worded(Reply.bytes(reply.status(), PROBLEM, json)).header(CACHE, "no-store");
    }
    if (accept != null && wantsPage(accept, request.path())) {
      return reply.worded(Reply.html(reply.status(), page(text.message(), request)));
    }
    return reply.worded(text.body(request.requestId(), reply.members()));
  }

  private static byte[] problem(Reply reply, Refusal refusal, String message, Request request) {
    return JsonText.object()
        .put("type", "urn:fairgate:error:" + refusal.code().name())
        .put("title", Text.of(request.language(), refusal.code()).message())
        .put("status", reply.status())
        .put("detail", message)
        .put("success", false)
        .put("error", refusal.code().name())
        .put("request_id", request.requestId())
        .putMembers(reply.members())
        .bytes();
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
}
