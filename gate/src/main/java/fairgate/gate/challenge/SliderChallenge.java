package fairgate.gate.challenge;

import fairgate.kernel.ChallengeResult;
import fairgate.kernel.KeySeal;
import fairgate.kernel.ServiceUnavailable;
import fairgate.platform.json.JsonText;
import io.vertx.core.Future;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.regex.Pattern;

/// A slider: a piece is moved to the gap of a picture. The answer is in the challenge itself,
/// encrypted, so that an open challenge takes no memory. It may be tried once, which Redis counts.
///
/// Like proof of work it is a price and no proof of humanity: programs that read pictures pay it.
/// It stops those that send requests only.
public final class SliderChallenge implements ChallengeProvider {
  /// Pixels by which an answer may be wrong.
  static final int TOLERANCE = 5;

  static final Duration LIFE = Duration.ofMinutes(2);

  private static final String NAME = "slider";
  private static final String SETTINGS = JsonText.object().put("provider", NAME).toString();
  private static final String USED = "challenge:slider:";
  private static final Duration MARGIN = Duration.ofMinutes(1);
  private static final int LONGEST = 600;
  private static final Pattern NONCE = Pattern.compile("[A-Za-z0-9_-]{22}");
  private static final Pattern POSITION = Pattern.compile("[0-9]{1,3}");
  private static final Future<ChallengeResult> MALFORMED =
      Future.succeededFuture(new ChallengeResult.Rejected("malformed"));

  private final ChallengeProvider.Dependencies seams;
  private final Clock clock;
  private final KeySeal seal;
  private final FirstUse used;
  private final HashingPool pool;
  private final SecureRandom random = new SecureRandom();

  /// @param used remembers the challenges that were tried
  public SliderChallenge(ChallengeProvider.Dependencies seams, FirstUse used) {
    this.seams = seams;
    this.clock = seams.clock();
    this.seal = new KeySeal(seams.keys(), seams.ids(), NAME);
    this.used = used;
    this.pool = new HashingPool(seams.vertx(), NAME);
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public String settings() {
    return SETTINGS;
  }

  /// The picture and the piece as data addresses, their sizes in pixels, and the encrypted answer.
  /// Takes milliseconds; see [#draw].
  @Override
  public String offer(ChallengeProvider.Context context) {
    return offer(context, SliderPicture.draw(random));
  }

  String offer(ChallengeProvider.Context context, SliderPicture picture) {
    String nonce = seams.ids().nonce();
    String secret =
        picture.x() + "|" + clock.instant().plus(LIFE).getEpochSecond() + "|" + about(context);
    KeySeal.Sealed box = seal.seal(nonce, secret.getBytes(StandardCharsets.UTF_8));
    return JsonText.object()
        .put("provider", NAME)
        .put("challenge", nonce + '.' + box.under() + '.' + box.box())
        .put("width", SliderPicture.WIDTH)
        .put("height", SliderPicture.HEIGHT)
        .put("size", SliderPicture.SIZE)
        .put("top", picture.y())
        .put("picture", data("jpeg", picture.picture()))
        .put("piece", data("png", picture.piece()))
        .toString();
  }

  /// The same on a pool of threads. Fails with [ServiceUnavailable] while too many are drawn.
  public Future<String> draw(ChallengeProvider.Context context) {
    return pool.run(() -> offer(context), "")
        .compose(
            offer ->
                offer.isEmpty()
                    ? Future.failedFuture(
                        new ServiceUnavailable("too many pictures", Duration.ofSeconds(2)))
                    : Future.succeededFuture(offer));
  }

  /// One try, right or wrong: it uses the challenge up, on all nodes.
  ///
  /// @param token the challenge, a dot, and the left edge of the piece in pixels
  @Override
  public Future<ChallengeResult> verify(String token, ChallengeProvider.Context context) {
    String[] parts = token.length() > LONGEST ? new String[0] : token.split("\\.", -1);
    if (parts.length != 4
        || !NONCE.matcher(parts[0]).matches()
        || !POSITION.matcher(parts[3]).matches()) {
      return MALFORMED;
    }
    List<String> secret =
        seal.open(parts[0], new KeySeal.Sealed(parts[1], parts[2]))
            .map(bytes -> List.of(new String(bytes, StandardCharsets.UTF_8).split("\\|", 3)))
            .orElse(List.of());
    if (secret.isEmpty()) {
      return MALFORMED;
    }
    if (Long.parseLong(secret.get(1)) <= clock.instant().getEpochSecond()) {
      return rejected("expired");
    }
    if (!secret.get(2).equals(about(context))) {
      return rejected("made for something else");
    }
    int off = Math.abs(Integer.parseInt(secret.getFirst()) - Integer.parseInt(parts[3]));
    return used.of(USED + parts[0], LIFE.plus(MARGIN))
        .map(first -> first ? verdict(off) : new ChallengeResult.Rejected("used"))
        .otherwise(_ -> new ChallengeResult.Unavailable());
  }

  private static ChallengeResult verdict(int off) {
    return off <= TOLERANCE
        ? new ChallengeResult.Accepted(null)
        : new ChallengeResult.Rejected("position");
  }

  @Override
  public void close() {
    pool.close();
  }

  private static String about(ChallengeProvider.Context context) {
    return context.action()
        + '|'
        + context.product().value()
        + '|'
        + context.network()
        + '|'
        + context.device().id().value();
  }

  private static String data(String type, byte[] image) {
    return "data:image/" + type + ";base64," + Base64.getEncoder().encodeToString(image);
  }

  private static Future<ChallengeResult> rejected(String reason) {
    return Future.succeededFuture(new ChallengeResult.Rejected(reason));
  }

  /// Uses up values that may be used once, on all nodes.
  @FunctionalInterface
  public interface FirstUse {
    /// Uses a value; true when it is the first time. Unknown when the future fails.
    ///
    /// @param life how long it is remembered
    Future<Boolean> of(String value, Duration life);
  }
}
