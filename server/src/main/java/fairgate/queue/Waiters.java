package fairgate.queue;

import fairgate.kernel.ProductId;
import fairgate.kernel.SessionId;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// Who was waiting when last looked at, and for what: of them only the position is worth asking for
/// ([RankScript]), for a while. Now and then all of it is asked for, which notes their presence.
///
/// A hint: who is forgotten here, or has gone on, is looked at in full. Bounded; sessions of one
/// place overwrite each other. Safe for use by any thread without a lock: whoever reads what two
/// threads wrote at once takes one product for another, and the session is not in its queue.
///
/// Numbers in a row instead of objects: with ten thousand who wait, what a look costs is memory
/// that is in no cache of the processor.
final class Waiters {
  private static final int PLACES = 1 << 16;

  /// A session's two halves, and until when only its position is asked for.
  private static final int NUMBERS = 4;

  /// Presence is noted in time if it is looked at so many times while it lasts.
  private static final int LOOKS = 8;

  private static final long LONGEST_MS = 30_000;

  private final long[] numbers = new long[PLACES * NUMBERS];
  private final @Nullable ProductId[] products = new ProductId[PLACES];
  private final LongSupplier nanos;

  Waiters(LongSupplier nanos) {
    this.nanos = nanos;
  }

  /// What it waited for; null when all has to be asked for.
  @Nullable ProductId product(SessionId session) {
    long high = half(session, 0);
    long low = half(session, 1);
    int place = place(high, low);
    int at = place * NUMBERS;
    return numbers[at] == high && numbers[at + 1] == low && nanos.getAsLong() - numbers[at + 2] < 0
        ? products[place]
        : null;
  }

  /// All of it was asked for, and this was the answer.
  void seen(Place place) {
    if (place.status() == QueueStatus.WAITING) {
      long presence = place.presenceMs();
      long millis = presence > 0 ? Math.min(LONGEST_MS, presence / LOOKS) : LONGEST_MS;
      keep(
          place.session(),
          place.product(),
          nanos.getAsLong() + TimeUnit.MILLISECONDS.toNanos(millis));
    }
  }

  /// It is not waiting any more.
  void gone(SessionId session) {
    keep(session, null, nanos.getAsLong());
  }

  private void keep(SessionId session, @Nullable ProductId product, long until) {
    long high = half(session, 0);
    long low = half(session, 1);
    int place = place(high, low);
    int at = place * NUMBERS;
    products[place] = product;
    numbers[at] = high;
    numbers[at + 1] = low;
    numbers[at + 2] = until;
  }

  /// Sixteen of the 32 hexadecimal digits of an id.
  private static long half(SessionId session, int which) {
    String id = session.value();
    long half = 0;
    int from = which == 0 ? 0 : 19;
    int to = which == 0 ? 18 : 36;
    for (int i = from; i < to; i++) {
      char c = id.charAt(i);
      if (c != '-') {
        half = (half << 4) | (c <= '9' ? c - '0' : c - 'a' + 10);
      }
    }
    return half;
  }

  /// Most bits of an id are random.
  private static int place(long high, long low) {
    return (int) (((high ^ low) * 0x9E3779B97F4A7C15L) >>> 48);
  }
}
