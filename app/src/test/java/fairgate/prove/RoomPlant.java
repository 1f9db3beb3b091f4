package fairgate.prove;

import fairgate.prove.check.Invariant;
import java.util.Locale;

/// A fault put into a script of waiting rooms, that the checker has to find. Each has a room of its
/// own.
enum RoomPlant {
  NOTHING("fairgate/room/visit.lua", "", Invariant.I25),
  BEYOND_CAPACITY(
      "fairgate/room/advance_room.lua",
      "math.min(free, math.floor(allowed), room.max) -> math.min(math.floor(allowed), room.max)",
      Invariant.I25),
  BEFORE_THE_CURSOR(
      "fairgate/room/enter_room.lua", "ticket >= tonumber(state.cursor) -> false", Invariant.I26),
  TURN_NOT_USED(
      "fairgate/room/visit.lua", "call('HDEL', TURNS, TICKET) -> type(TURNS)", Invariant.I27),
  BROWSER_FORGOTTEN(
      "fairgate/room/take_ticket.lua",
      "local own = newest(browsers_key, request.browser) -> local own = nil",
      Invariant.I28),
  WRONG_TICKET_LEAVES(
      "fairgate/room/presence.lua", "bit - 2 * (bit % 8) + 7 -> bit", Invariant.I29),
  GONE_NOT_COUNTED(
      "fairgate/room/read_head.lua", "call('BITCOUNT', key, whole, -1) -> 0", Invariant.I29),
  NETWORK_NOT_COUNTED(
      "fairgate/room/take_ticket.lua",
      "places[#places + 1] = string.format('%d', ticket) -> type(ticket)",
      Invariant.I24),
  PASS_SHARED("fairgate/room/own_pass.lua", "owner == BROWSER -> owner", Invariant.I31),
  /// Nodes are not told either: else they refuse the pass within a moment.
  PASS_NOT_RELEASED(
      "fairgate/room/visit.lua",
      "call('SET', owner, '', 'PX', REMEMBER_MS) -> do return 'ENDED' end",
      Invariant.I31),
  VISIT_FORGOTTEN(
      "fairgate/room/take_ticket.lua",
      "own and call('ZSCORE', INSIDE, number) -> false",
      Invariant.I41),
  ONLY_FROM_THE_CURSOR_SWEPT(
      "fairgate/room/advance_room.lua",
      "state.revoked or '', oldest_ticket -> state.revoked or '', cursor",
      Invariant.I39),
  FINISHED_BLOCK_LIVE(
      "fairgate/room/enter_room.lua",
      "return ticket < oldest_ticket -> return false",
      Invariant.I39),
  FINISHED_TICKET_GIVEN_AGAIN(
      "fairgate/room/take_ticket.lua",
      "return ticket < oldest_ticket -> return false",
      Invariant.I39),
  OLD_ROOM_KEPT(
      "fairgate/room/advance_room.lua",
      "tonumber(state.epoch) < room.first_epoch -> false",
      Invariant.I39);

  private final String script;
  private final String change;
  private final Invariant found;

  /// @param script the resource
  /// @param change lines of what is in it and what stands there instead
  /// @param found the invariant that must not hold then
  RoomPlant(String script, String change, Invariant found) {
    this.script = script;
    this.change = change;
    this.found = found;
  }

  String room() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  String script() {
    return script;
  }

  Invariant found() {
    return found;
  }

  /// The script with the fault in it.
  String planted(String source) {
    return Plant.altered(script, source, change);
  }
}
