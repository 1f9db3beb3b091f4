package fairgate.account;

/// The names of the keys accounts have in Redis.
final class AccountKeys {
  private AccountKeys() {}

  /// What a session's token stands for.
  ///
  /// @param tokenHash as it is stored
  static String session(String tokenHash) {
    return "account:session:" + tokenHash;
  }

  /// The tries at one name's password.
  ///
  /// @param nameHash a keyed hash of the name, whether there is such an account or not
  static String attempts(String nameHash) {
    return "account:attempts:" + nameHash;
  }

  /// A budget of calls.
  static String budget(String name, String who) {
    return "rl:" + name + ':' + who;
  }
}
