package fairgate.account;

/// The names of the keys accounts have in Redis.
final class AccountKeys {
  private AccountKeys() {}

  /// The key of a session.
  ///
  /// @param tokenHash as it is stored
  static String session(String tokenHash) {
    return "account:session:" + tokenHash;
  }

  /// The attempts of one client at one name's password.
  ///
  /// @param nameHash a keyed hash of the name, whether there is such an account or not
  /// @param client `net:...` or `device:...`
  static String attempts(String nameHash, String client) {
    return "account:attempts:{" + nameHash + "}:" + client;
  }

  /// The attempts at one name's password by all devices that never signed in to it.
  static String strangers(String nameHash) {
    return "account:strangers:{" + nameHash + '}';
  }

  static String devices(String nameHash) {
    return "account:devices:{" + nameHash + '}';
  }

  static String usedTicket(String id) {
    return "account:ticket:" + id;
  }

  static String budget(String name, String who) {
    return "rl:" + name + ':' + who;
  }
}
