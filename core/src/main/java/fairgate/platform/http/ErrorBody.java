package fairgate.platform.http;

import fairgate.kernel.ErrorCode;
import fairgate.kernel.ServiceUnavailable;
import fairgate.platform.http.stream.RequestBodyStream;
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
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Renders errors and refusals: as the API's error body, as RFC 9457 when the caller asks for it,
/// or as an error page for browsers.
final class ErrorBody {
  private static final Logger LOG = LoggerFactory.getLogger(ErrorBody.class);
  private static final String PROBLEM = "application/problem+json";
  private static final String CACHE = "cache-control";
  private static final String TARGET_TOO_LONG = "target_too_long";

  /// The message of an error, and the part of the error body that is the same for every request.
  /// Texts of error codes are built once, because many clients receive them during a flood.
  private static final class Text {
    private static final Map<Language, Map<ErrorCode, Text>> BY_LANGUAGE = made();

    private final String message;

    /// The error body up to and including the opening quote of the request id.
    private final byte[] prefix;

    private Text(String message, byte[] prefix) {
      this.message = message;
      this.prefix = prefix;
    }

    static Text of(Language language, ErrorCode code) {
      return Objects.requireNonNull(Objects.requireNonNull(BY_LANGUAGE.get(language)).get(code));
    }

    /// The text of a refusal: that of its `reason`, if there is one, or of its code.
    static Text of(Language language, Refusal refusal) {
      Object reason = refusal.details().get("reason");
      String key = reason == null ? "" : "reason." + refusal.code().name() + '.' + reason;
      return Messages.has(key)
          ? of(refusal.code(), Messages.text(language, key))
          : of(language, refusal.code());
    }

    static Text of(Language language, InvalidRequest problem) {
      return Messages.has("invalid." + problem.problemKey())
          ? of(ErrorCode.INVALID_REQUEST, problem.text(language))
          : of(language, ErrorCode.INVALID_REQUEST);
    }

    static Text of(ErrorCode code, String message) {
      JsonText json =
          JsonText.object()
              .put("success", false)
              .put("error", code.name())
              .put("message", message)
              .put("request_id", "");
      byte[] inside = json.inside();
      byte[] prefix = new byte[inside.length];
      prefix[0] = '{';
      System.arraycopy(inside, 0, prefix, 1, inside.length - 1);
      return new Text(message, prefix);
    }

    String message() {
      return message;
    }

    /// The error body.
    ///
    /// @param requestId letters, digits, `-` and `_`
    /// @param more further JSON members; may be empty
    byte[] body(String requestId, byte[] more) {
      byte[] id = requestId.getBytes(StandardCharsets.ISO_8859_1);
      int length = prefix.length + id.length + 2 + more.length + (more.length > 0 ? 1 : 0);
      byte[] body = Arrays.copyOf(prefix, length);
      System.arraycopy(id, 0, body, prefix.length, id.length);
      int at = prefix.length + id.length;
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

  static Reply render(Throwable failure, Request request) {
    return switch (failure) {
      case InvalidRequest problem -> render(problem, request);
      case ServiceUnavailable away -> {
        LOG.debug("{} {}: {}", request.method(), request.path(), away.getMessage(), away);
        Refusal refusal = Refusal.of(ErrorCode.SERVICE_UNAVAILABLE);
        yield render(Reply.refuse(refusal.retryAfter(away.retryAfter())), request);
      }
      case RequestBodyStream.ReadException part ->
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
            "Request failed; method={} path={} requestId={}",
            request.method(),
            request.path(),
            request.requestId(),
            other);
        yield render(Reply.refuse(ErrorCode.SERVER_ERROR), request);
      }
    };
  }

  /// A refusal in the caller's language and media type; any other reply as it is.
  static Reply render(Reply reply, Request request) {
    Refusal refusal = reply.refusal();
    if (refusal == null) {
      return reply;
    }
    Refusal decided = request.decided(refusal);
    request.serverContext().refused(decided, request);
    return render(
        reply.withRefusal(decided), decided, language -> Text.of(language, decided), request);
  }

  static Reply render(InvalidRequest problem, Request request) {
    request.serverContext().refused(Refusal.of(ErrorCode.INVALID_REQUEST), request);
    Refusal refusal = Refusal.of(ErrorCode.INVALID_REQUEST);
    Refusal complete = problem.field().isEmpty() ? refusal : refusal.with("field", problem.field());
    for (Map.Entry<String, Object> detail : problem.details().entrySet()) {
      complete = complete.with(detail.getKey(), detail.getValue());
    }
    return render(
        Reply.refuse(complete), complete, language -> Text.of(language, problem), request);
  }

  /// The reply to a request whose head is malformed: 414 or 431 when it is too long, otherwise 400.
  static Reply renderBadHead(@Nullable Throwable cause, Request request) {
    return switch (cause) {
      case TooLongHttpLineException _ -> badHead(414, TARGET_TOO_LONG, request);
      case TooLongHttpHeaderException _ -> badHead(431, "head_too_large", request);
      case null, default -> badHead(400, "malformed_head", request);
    };
  }

  /// The reply to a request whose head is well-formed, with a target that is too long.
  static Reply renderLongTarget(Request request) {
    return render(new InvalidRequest("", TARGET_TOO_LONG), request).withStatus(414);
  }

  /// A head can break off before `Accept-Language`. Its sender may read any language, so the
  /// message is given in all of them.
  private static Reply badHead(int status, String problem, Request request) {
    if (request.namesLanguage()) {
      return render(new InvalidRequest("", problem), request).withStatus(status);
    }
    String message =
        Arrays.stream(Language.values())
            .map(language -> new InvalidRequest("", problem).text(language))
            .collect(Collectors.joining(" "));
    Refusal refusal = Refusal.of(ErrorCode.INVALID_REQUEST);
    request.serverContext().refused(refusal, request);
    Text text = Text.of(ErrorCode.INVALID_REQUEST, message);
    return render(Reply.refuse(refusal), refusal, _ -> text, request).withStatus(status);
  }

  private static Reply render(
      Reply reply, Refusal refusal, Function<Language, Text> texts, Request request) {
    String accept = request.accept();
    if (accept != null && accept.contains(PROBLEM)) {
      byte[] json = problem(reply, refusal, texts.apply(request.language()).message(), request);
      return reply.worded(Reply.bytes(reply.status(), PROBLEM, json)).header(CACHE, "no-store");
    }
    ErrorPage pages = request.serverContext().errorPage();
    if (pages != null && accept != null && wantsPage(accept, request.path())) {
      return reply.worded(
          pages.draw(
              request, reply.status(), refusal, language -> texts.apply(language).message()));
    }
    Text text = texts.apply(request.language());
    return reply.worded(text.body(request.requestId(), reply.members()));
  }

  private static byte[] problem(Reply reply, Refusal refusal, String message, Request request) {
    JsonText json =
        JsonText.object()
            .put("type", "urn:fairgate:error:" + refusal.code().name())
            .put("title", Text.of(request.language(), refusal.code()).message())
            .put("status", reply.status())
            .put("detail", message)
            .put("success", false)
            .put("error", refusal.code().name())
            .put("request_id", request.requestId());
    return refusal.addTo(json).bytes();
  }

  private static boolean wantsPage(String accept, String path) {
    return accept.contains("text/html")
        && !accept.contains("application/json")
        && !path.startsWith("/api/");
  }
}
