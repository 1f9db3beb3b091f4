package fairgate.prove.fault;

import fairgate.prove.environment.Node;
import fairgate.prove.environment.TcpProxy;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/// Keeps the ledger's readers from fetching from Kafka until it is closed; relays continue to
/// write. Replies to earlier fetches still arrive.
public final class HeldReaders implements TcpProxy.Tap, AutoCloseable {
  /// A request begins with its length (4 bytes), its kind, its version (2 each) and a number (4);
  /// the client's name follows, behind its own length (2).
  private static final int KIND = 4;

  private static final byte FETCH = 1;
  private static final int NAME = 14;
  private static final byte[] CLIENT = "fairgate-".getBytes(StandardCharsets.US_ASCII);

  private final CountDownLatch over = new CountDownLatch(1);
  private final List<Runnable> restored = new ArrayList<>();

  /// Those of all nodes.
  public HeldReaders(List<Node> nodes) {
    for (Node node : nodes) {
      TcpProxy.Tap before = node.kafka().tap();
      restored.add(() -> node.kafka().tap(before));
      node.kafka().tap(this);
    }
  }

  @Override
  public void request(Object link, ByteBuffer bytes) {
    if (fetches(bytes)) {
      try {
        over.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private static boolean fetches(ByteBuffer bytes) {
    for (int at = bytes.position(); at + NAME + CLIENT.length <= bytes.limit(); at++) {
      if (bytes.get(at + KIND) == 0 && bytes.get(at + KIND + 1) == FETCH && isOurs(bytes, at)) {
        return true;
      }
    }
    return false;
  }

  private static boolean isOurs(ByteBuffer bytes, int at) {
    for (int i = 0; i < CLIENT.length; i++) {
      if (bytes.get(at + NAME + i) != CLIENT[i]) {
        return false;
      }
    }
    return true;
  }

  @Override
  public void close() {
    restored.forEach(Runnable::run);
    over.countDown();
  }
}
