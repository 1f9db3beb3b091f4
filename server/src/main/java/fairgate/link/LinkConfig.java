package fairgate.link;

import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// The settings of short links.
///
/// @param baseUrl what short addresses begin with, without a slash at the end; empty = the host the
///   caller asked
/// @param anonymous whether a browser without an account may make links, one by one; they belong to
///   it then
/// @param denyList hosts no link may lead to, one a line; null = none
/// @param misses codes that lead nowhere one address may try on one node in any minute; 0 = any
///   number
/// @param cached links kept in memory
/// @param clickInterval how often clicks are written: what a crash can lose
public record LinkConfig(
    String baseUrl,
    boolean anonymous,
    @Nullable Path denyList,
    int misses,
    int cached,
    Duration clickInterval) {}
