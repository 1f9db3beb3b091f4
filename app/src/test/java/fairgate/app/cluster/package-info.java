/// The whole server on a Redis Cluster.
@NullMarked
package fairgate.app.cluster;

import org.jspecify.annotations.NullMarked;
