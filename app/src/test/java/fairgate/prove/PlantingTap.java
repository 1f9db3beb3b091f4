package fairgate.prove;

import fairgate.platform.redis.LuaScript;
import fairgate.prove.environment.Resp;
import fairgate.prove.environment.TcpProxy;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/// Has the server's calls of a script run another one, of the same length of name: for one sale or
/// for all, on the proxy, so that nothing in the server knows of it.
final class PlantingTap implements TcpProxy.Tap {
  private static final int AHEAD = 80;

  private final List<Swap> swaps = new ArrayList<>();

  /// Two names of scripts, and the key of a sale or a room, which is every script's first one;
  /// empty for calls of all sales.
  private static final class Swap {
    private final byte[] right;
    private final byte[] planted;
    private final byte[] first;

    Swap(String right, String planted, String first) {
      this.right = ascii(right);
      this.planted = ascii(planted);
      this.first = ascii(first);
    }
  }

  /// Loads the altered script beside the right one, which is called for no sale of its own.
  ///
  /// @param resource of the script
  /// @param piece of it
  /// @param instead what stands there in the altered one
  void plant(Resp redis, String resource, String piece, String instead) throws IOException {
    LuaScript right = LuaScript.load(PlantingTap.class, "/" + resource);
    if (!right.source().contains(piece)) {
      throw new IllegalStateException(resource + " has no " + piece);
    }
    Object sha = redis.call("SCRIPT", "LOAD", right.source().replace(piece, instead));
    swaps.add(new Swap(right.sha(), String.valueOf(sha), ""));
  }

  /// Loads the altered script beside the right one.
  void plant(Resp redis, Plant plant) throws IOException {
    LuaScript right = LuaScript.load(PlantingTap.class, "/" + plant.script());
    Object sha = redis.call("SCRIPT", "LOAD", plant.planted(right.source()));
    String first = "\r\nevent:" + plant.product() + ":sale\r\n";
    swaps.add(new Swap(right.sha(), String.valueOf(sha), first));
  }

  /// Loads the altered script of rooms beside the right one.
  void plant(Resp redis, RoomPlant plant) throws IOException {
    LuaScript right = LuaScript.load(PlantingTap.class, "/" + plant.script());
    Object sha = redis.call("SCRIPT", "LOAD", plant.planted(right.source()));
    for (String room : List.of(plant.room(), plant.room() + "-past")) {
      String first = "\r\nroom:{" + room + "}:state\r\n";
      swaps.add(new Swap(right.sha(), String.valueOf(sha), first));
    }
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  @Override
  public void request(Object link, ByteBuffer bytes) {
    for (Swap swap : swaps) {
      for (int at = bytes.position(); at + swap.right.length < bytes.limit(); at++) {
        if (is(bytes, at, swap.right) && follows(bytes, at + swap.right.length, swap.first)) {
          bytes.put(at, swap.planted);
        }
      }
    }
  }

  private static boolean follows(ByteBuffer bytes, int from, byte[] word) {
    for (int at = from; at < from + AHEAD && at + word.length <= bytes.limit(); at++) {
      if (is(bytes, at, word)) {
        return true;
      }
    }
    return false;
  }

  private static boolean is(ByteBuffer bytes, int at, byte[] word) {
    for (int i = 0; i < word.length; i++) {
      if (at + i >= bytes.limit() || bytes.get(at + i) != word[i]) {
        return false;
      }
    }
    return true;
  }
}
