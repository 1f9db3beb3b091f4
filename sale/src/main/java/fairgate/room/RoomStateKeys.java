package fairgate.room;

import java.util.List;

/// Builds the names of the Redis keys of one room; `docs/redis-keys.md` describes them. All lie in
/// one slot: the braces are part of the names, also in a single Redis.
record RoomStateKeys(String room) {
  String prefix() {
    return "room:{" + room + "}:";
  }

  String state() {
    return prefix() + "state";
  }

  String inside() {
    return prefix() + "inside";
  }

  String turns() {
    return prefix() + "turns";
  }

  String exchanged() {
    return prefix() + "exchanged";
  }

  String due() {
    return prefix() + "due";
  }

  String reservedOrder() {
    return prefix() + "reserved_order";
  }

  String revoked() {
    return prefix() + "revoked";
  }

  String head() {
    return prefix() + "head";
  }

  String gone(long block) {
    return prefix() + "gone:" + block;
  }

  /// The places of networks, of one generation of tickets.
  String networks(long generation) {
    return prefix() + "networks:" + generation;
  }

  /// The keys of `advance_room.lua`.
  List<String> forAdvance() {
    return List.of(
        state(), inside(), prefix() + "reserved", reservedOrder(), due(), turns(), exchanged());
  }

  /// The key that one run of `sweep_room.lua` uses.
  String scratch() {
    return prefix() + "scratch";
  }

  String samples() {
    return prefix() + "samples";
  }
}
