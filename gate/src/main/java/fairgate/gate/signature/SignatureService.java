package fairgate.gate.signature;

import fairgate.gate.signature.FieldParser.InnerList;
import fairgate.gate.signature.SignatureService.SignatureOutcome.Rejected;
import fairgate.gate.signature.SignatureService.SignatureOutcome.Signed;
import fairgate.gate.signature.SignatureService.SignatureOutcome.Unsigned;
import fairgate.platform.http.Request;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Clock;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Verifies signatures of requests: HMAC-SHA256 with a subset of HTTP Message Signatures (RFC
/// 9421), and the body through its `Content-Digest` (RFC 9530).
///
/// The signature must cover everything that defines a request: method, authority, path, the query
/// and the body if present, and each header that identifies the caller or marks a repeat. The nonce
/// is not checked here; the guard or the limits spend it.
public final class SignatureService {
  /// The tag of our signatures among others in the same header.
  static final String TAG = "fairgate";

  /// The components that a caller has to sign, in the form of RFC 9421, section 5.1.
  static final String ACCEPT =
      "fg=(\"@method\" \"@authority\" \"@path\" \"@query\" \"content-digest\");created;expires;"
          + "nonce;keyid;alg=\"hmac-sha256\";tag=\"fairgate\"";

  private static final String ALGORITHM = "hmac-sha256";
  private static final List<String> ALWAYS = List.of("@method", "@authority", "@path");

  /// Headers that change the meaning of a request.
  private static final List<String> IF_SENT =
      List.of("x-session-id", "idempotency-key", "authorization", "cookie");

  private static final Pattern NONCE = Pattern.compile("[A-Za-z0-9_.+/=-]{16,64}");
  private static final Duration LONGEST = Duration.ofMinutes(5);

  /// The maximum difference between nodes' clocks.
  private static final Duration MARGIN = Duration.ofMinutes(1);

  private final ApiKeys keys;
  private final Clock clock;
  private final Duration skew;

  SignatureService(ApiKeys keys, Clock clock, Duration skew) {
    this.keys = keys;
    this.clock = clock;
    this.skew = skew;
  }

  public SignatureOutcome examine(Request request) {
    return request.header("signature-input") == null && request.header("signature") == null
        ? new Unsigned()
        : examine(Message.of(request));
  }

  SignatureOutcome examine(Message message) {
    String inputs = String.join(", ", message.headers("signature-input"));
    String signatures = String.join(", ", message.headers("signature"));
    if (inputs.isEmpty() && signatures.isEmpty()) {
      return new Unsigned();
    }
    try {
      return examine(message, FieldParser.innerLists(inputs), FieldParser.bytes(signatures));
    } catch (FieldParser.Malformed e) {
      return new Rejected("malformed");
    }
  }

  private SignatureOutcome examine(
      Message message, Map<String, InnerList> inputs, Map<String, byte[]> signatures) {
    List<Map.Entry<String, InnerList>> ours =
        inputs.entrySet().stream()
            .filter(each -> TAG.equals(each.getValue().params().getOrDefault("tag", TAG)))
            .toList();
    byte[] signature = ours.size() == 1 ? signatures.get(ours.getFirst().getKey()) : null;
    return signature == null
        ? new Rejected("malformed")
        : judge(message, ours.getFirst().getValue(), signature);
  }

  private SignatureOutcome judge(Message message, InnerList input, byte[] signature) {
    Map<String, Object> params = input.params();
    if (params.get("created") instanceof Long created
        && params.get("expires") instanceof Long expires
        && params.get("nonce") instanceof String nonce
        && params.get("keyid") instanceof String keyId) {
      String problem = problem(message, input, created, expires, nonce);
      if (problem == null) {
        problem = forgery(message, input, keyId, signature);
      }
      return problem == null ? signed(created, keyId, nonce) : new Rejected(problem);
    }
    return new Rejected("params");
  }

  /// The first error that needs no key to find; null when there is none.
  private @Nullable String problem(
      Message message, InnerList input, long created, long expires, String nonce) {
    long now = clock.instant().getEpochSecond();
    // The key determines the algorithm; a caller may only name the same.
    if (!input.params().getOrDefault("alg", ALGORITHM).equals(ALGORITHM)) {
      return "alg";
    }
    if (Math.abs(now - created) > skew.toSeconds()) {
      return "created";
    }
    if (expires <= now || expires <= created || expires - created > LONGEST.toSeconds()) {
      return "expires";
    }
    if (!NONCE.matcher(nonce).matches()) {
      return "nonce";
    }
    return covers(message, input.items()) ? null : "components";
  }

  private static boolean covers(Message message, List<String> items) {
    return items.containsAll(ALWAYS)
        && (items.contains("@query") || message.target().indexOf('?') < 0)
        && (items.contains("content-digest") || message.body().length == 0)
        && IF_SENT.stream()
            .allMatch(name -> items.contains(name) || message.headers(name).isEmpty());
  }

  /// The MAC is checked before the body, so a body is hashed only for callers with a key.
  private @Nullable String forgery(
      Message message, InnerList input, String keyId, byte[] signature) {
    Optional<ApiKeys.SigningKey> key = keys.usable(keyId);
    if (key.isEmpty()) {
      return "keyid";
    }
    Optional<String> base = SignatureBase.of(message, input.items(), input.written());
    if (base.isEmpty()) {
      return "components";
    }
    byte[] right = key.get().mac(base.get().getBytes(StandardCharsets.UTF_8));
    if (!MessageDigest.isEqual(right, signature)) {
      return "signature";
    }
    List<String> digests = message.headers("content-digest");
    return digests.isEmpty() || ContentDigest.matches(String.join(", ", digests), message.body())
        ? null
        : "digest";
  }

  /// A repeat is rejected as too old once `created` is, on the node with the slowest clock.
  private Signed signed(long created, String keyId, String nonce) {
    long left = created + skew.toSeconds() - clock.instant().getEpochSecond();
    return new Signed(
        keyId,
        "nonce:" + keyId + ':' + nonce,
        Duration.ofSeconds(Math.max(0, left) + 1).plus(MARGIN));
  }

  /// Verifies the `Content-Digest` of RFC 9530 with SHA-256 or SHA-512.
  static final class ContentDigest {
    private static final Map<String, String> ALGORITHMS =
        Map.of("sha-256", "SHA-256", "sha-512", "SHA-512");

    private ContentDigest() {}

    /// Whether at least one digest has a known algorithm, and all of those match.
    static boolean matches(String header, byte[] body) {
      int known = 0;
      try {
        for (Map.Entry<String, byte[]> digest : FieldParser.bytes(header).entrySet()) {
          String algorithm = ALGORITHMS.get(digest.getKey());
          if (algorithm != null) {
            known++;
            if (!MessageDigest.isEqual(hash(algorithm, body), digest.getValue())) {
              return false;
            }
          }
        }
      } catch (FieldParser.Malformed e) {
        return false;
      }
      return known > 0;
    }

    private static byte[] hash(String algorithm, byte[] body) {
      try {
        return MessageDigest.getInstance(algorithm).digest(body);
      } catch (NoSuchAlgorithmException e) {
        throw new IllegalStateException("This JVM has no " + algorithm, e);
      }
    }
  }

  /// The signature base of a request: RFC 9421, section 2.5, for header fields and the derived
  /// components of requests, without component parameters.
  static final class SignatureBase {
    private static final Pattern FIELD = Pattern.compile("[a-z0-9-]{1,64}");
    private static final Pattern DEFAULT_PORT = Pattern.compile(":(80|443)$");

    private SignatureBase() {}

    /// The text; empty when a component is unknown, absent or repeated.
    ///
    /// @param params components and parameters as sent
    static Optional<String> of(Message message, List<String> components, String params) {
      StringBuilder base = new StringBuilder(512);
      Set<String> seen = new HashSet<>();
      for (String component : components) {
        Optional<String> value =
            component.startsWith("@") ? derived(message, component) : field(message, component);
        if (value.isEmpty() || !seen.add(component)) {
          return Optional.empty();
        }
        base.append('"').append(component).append("\": ").append(value.get()).append('\n');
      }
      return Optional.of(base.append("\"@signature-params\": ").append(params).toString());
    }

    private static Optional<String> derived(Message message, String component) {
      String target = message.target();
      int mark = target.indexOf('?');
      return switch (component) {
        case "@method" -> Optional.of(message.method());
        case "@authority" ->
            // Which port is the default depends on the scheme, which a proxy may hide.
            Optional.of(
                DEFAULT_PORT.matcher(message.host().toLowerCase(Locale.ROOT)).replaceFirst(""));
        case "@path" -> Optional.of(mark < 0 ? target : target.substring(0, mark));
        case "@query" -> Optional.of(mark < 0 ? "?" : target.substring(mark));
        case "@request-target" -> Optional.of(target);
        default -> Optional.empty();
      };
    }

    private static Optional<String> field(Message message, String name) {
      List<String> values =
          FIELD.matcher(name).matches() ? message.headers(name) : List.<String>of();
      return values.isEmpty()
          ? Optional.empty()
          : Optional.of(String.join(", ", values.stream().map(String::strip).toList()));
    }
  }

  public sealed interface SignatureOutcome {
    record Unsigned() implements SignatureOutcome {}

    /// Valid, except that replay has not been checked.
    ///
    /// @param signer id of the key
    /// @param nonceKey Redis key of the nonce; must not exist yet, and must be set before the
    ///   request counts
    /// @param remember how long the nonce has to be stored
    record Signed(String signer, String nonceKey, Duration remember) implements SignatureOutcome {}

    /// Invalid.
    ///
    /// @param reason for the caller's developer: `malformed`, `params`, `alg`, `created`,
    ///   `expires`, `nonce`, `components`, `keyid`, `signature` or `digest`
    record Rejected(String reason) implements SignatureOutcome {}
  }

  /// A request as its signer saw it.
  interface Message {
    String method();

    /// The `Host` header.
    String host();

    /// Path and query, not decoded.
    String target();

    List<String> headers(String name);

    byte[] body();

    static Message of(Request request) {
      return new Message() {
        @Override
        public String method() {
          return request.methodSent();
        }

        @Override
        public String host() {
          List<String> hosts = request.headers("host");
          return hosts.size() == 1 ? hosts.getFirst() : "";
        }

        @Override
        public String target() {
          return request.target();
        }

        @Override
        public List<String> headers(String name) {
          return request.headers(name);
        }

        @Override
        public byte[] body() {
          return request.body();
        }
      };
    }
  }
}
