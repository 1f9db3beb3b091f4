package fairgate.gate.signature;

import fairgate.gate.signature.FieldParser.InnerList;
import fairgate.gate.signature.SignatureOutcome.Rejected;
import fairgate.gate.signature.SignatureOutcome.Signed;
import fairgate.gate.signature.SignatureOutcome.Unsigned;
import fairgate.platform.http.Request;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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

  /// The id of the key that signed the request, if the signature is valid. For handlers behind the
  /// guard, which has already spent the nonce.
  public Optional<String> signer(Request request) {
    return examine(request) instanceof Signed signed
        ? Optional.of(signed.signer())
        : Optional.empty();
  }

  /// Verifies a complete request.
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
}
