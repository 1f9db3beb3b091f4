package fairgate.account;

/// Who makes a request.
///
/// @param account the account's id
/// @param session the id of the session that shows it
public record SignedIn(String account, String session) {}
