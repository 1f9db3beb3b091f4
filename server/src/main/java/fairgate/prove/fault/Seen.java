package fairgate.prove.fault;

import fairgate.prove.stage.Wire;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/// Waits on a wire to PostgreSQL for the moment an order's events are written.
final class Seen implements Wire.Tap {
  private static final byte[] EVENT = "reserved".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] COMMIT = "COMMIT\0".getBytes(StandardCharsets.US_ASCII);

  private final boolean atCommit;
  private final Runnable then;
  private final Set<Object> writing = ConcurrentHashMap.newKeySet();
  private final CountDownLatch seen = new CountDownLatch(1);

  /// @param atCommit whether the moment is that of the commit's answer, not of the insert
  /// @param then run at that moment, before the bytes go on
  Seen(boolean atCommit, Runnable then) {
    this.atCommit = atCommit;
    this.then = then;
  }

  @Override
  public void request(Object link, ByteBuffer bytes) {
    if (seen.getCount() > 0 && contains(bytes, EVENT)) {
      writing.add(link);
      if (!atCommit) {
        hit();
      }
    }
  }

  @Override
  public void reply(Object link, ByteBuffer bytes) {
    if (atCommit && seen.getCount() > 0 && writing.contains(link) && contains(bytes, COMMIT)) {
      hit();
    }
  }

  private synchronized void hit() {
    if (seen.getCount() > 0) {
      then.run();
      seen.countDown();
    }
  }

  boolean await(Duration most) {
    try {
      return seen.await(most.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private static boolean contains(ByteBuffer bytes, byte[] word) {
    for (int at = bytes.position(); at + word.length <= bytes.limit(); at++) {
      int i = 0;
      while (i < word.length && bytes.get(at + i) == word[i]) {
        i++;
      }
      if (i == word.length) {
        return true;
      }
    }
    return false;
  }
}
