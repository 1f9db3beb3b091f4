package fairgate.gate.risk;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import fairgate.platform.run.Batcher;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// Features of a signed-in buyer: the account's age and verified identities, earlier orders, and
/// appeals. Reads many accounts at once and keeps what it read for a minute, or until it is told to
/// forget it.
final class OwnHistory implements FeatureSource {
  private static final FeatureSchema SCHEMA = FeatureSchema.latest();
  private static final Feature ACCOUNT_AGE = SCHEMA.feature("account_age_hours");
  private static final Feature EMAIL = SCHEMA.feature("email_verified");
  private static final Feature PHONE = SCHEMA.feature("phone_verified");
  private static final Feature PERSON = SCHEMA.feature("person_verified");
  private static final Feature PASSKEY = SCHEMA.feature("has_passkey");
  private static final Feature PAID = SCHEMA.feature("paid_orders");
  private static final Feature UNPAID = SCHEMA.feature("unpaid_orders");
  private static final Feature CANCELLED = SCHEMA.feature("cancelled_orders");
  private static final Feature REFUNDED = SCHEMA.feature("refunded_orders");
  private static final Feature APPEALS_WON = SCHEMA.feature("appeals_won");
  private static final Feature APPEALS_LOST = SCHEMA.feature("appeals_lost");

  /// Until the history is known. Otherwise a slow database would make strangers of all buyers.
  private static final long UNKNOWN_AGE = -1;

  private static final int MOST_KEPT = 50_000;
  private static final Duration KEPT = Duration.ofMinutes(1);
  private static final int BATCH = 500;
  private static final int CONCURRENT_BATCHES = 2;

  private final Batcher<Asked, History> reads;
  private final Subjects subjects;
  private final Cache<String, Entry> known =
      Caffeine.newBuilder().maximumSize(MOST_KEPT).expireAfterWrite(KEPT).build();

  /// @param read reads the histories of accounts, in their order; see [FeatureSource] for failures
  OwnHistory(Subjects subjects, Function<List<Asked>, Future<List<History>>> read) {
    this.subjects = subjects;
    this.reads = new Batcher<>("risk history", BATCH, CONCURRENT_BATCHES, read);
  }

  /// The cached history of an account, or null while it is being read. Compared by identity: a read
  /// that began before its entry was forgotten finds another one, and is not kept.
  private static final class Entry {
    private final @Nullable History history;

    Entry(@Nullable History history) {
      this.history = history;
    }
  }

  record Asked(String account, String subject) {}

  /// The history of a buyer; the meaning of each count is in the schema of features.
  record History(
      long ageHours,
      boolean email,
      boolean phone,
      boolean person,
      boolean passkey,
      long paid,
      long unpaid,
      long cancelled,
      long refunded,
      long appealsWon,
      long appealsLost) {
    static final History UNKNOWN = new History(0, false, false, false, false, 0, 0, 0, 0, 0, 0);
  }

  @Override
  public Future<Void> contribute(RiskRequest request, Features.Builder features) {
    String account = request.caller().account();
    if (account == null) {
      return DONE;
    }
    Entry entry = known.get(account, _ -> new Entry(null));
    if (entry.history != null) {
      set(features, entry.history);
      return DONE;
    }
    features.set(ACCOUNT_AGE, UNKNOWN_AGE);
    return reads
        .submit(new Asked(account, subjects.ofAccount(account)))
        .onSuccess(
            found -> {
              boolean _ = known.asMap().replace(account, entry, new Entry(found));
              set(features, found);
            })
        .mapEmpty();
  }

  /// The next decision on an account reads its history again.
  void forget(String account) {
    known.invalidate(account);
  }

  private static void set(Features.Builder features, History history) {
    features
        .set(ACCOUNT_AGE, history.ageHours())
        .set(EMAIL, history.email())
        .set(PHONE, history.phone())
        .set(PERSON, history.person())
        .set(PASSKEY, history.passkey())
        .set(PAID, history.paid())
        .set(UNPAID, history.unpaid())
        .set(CANCELLED, history.cancelled())
        .set(REFUNDED, history.refunded())
        .set(APPEALS_WON, history.appealsWon())
        .set(APPEALS_LOST, history.appealsLost());
  }
}
