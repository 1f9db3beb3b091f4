package fairgate.kernel;

/// The signed-in account of a request.
///
/// @param account the id of the account
/// @param session the id of the login session
public record SignedIn(String account, String session) {}
