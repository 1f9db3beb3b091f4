package fairgate.link;

import java.nio.file.Path;
import java.time.Duration;
import java.time.ZoneId;
import org.jspecify.annotations.Nullable;

/// The settings of short links.
///
/// @param baseUrl what short addresses begin with, without a slash at the end; empty = the address
///   the server listens on
/// @param anonymous whether a browser without an account may make links, one by one; they belong to
///   it then, and end within 30 days
/// @param denyList hosts no link may lead to, one a line; null = none
/// @param misses codes that lead nowhere one address may try on one node in any minute; 0 = any
///   number
/// @param mostPerOwner links an account or a browser may have, those that have ended too
/// @param cached links kept in memory
/// @param zone whose days clicks are counted by
/// @param clickInterval how often clicks are written: what a crash can lose
public record LinkConfig(
    String baseUrl,
    boolean anonymous,
    @Nullable Path denyList,
    int misses,
    int mostPerOwner,
    int cached,
    ZoneId zone,
    Duration clickInterval) {}
