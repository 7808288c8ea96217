module towpath/tools/envsubstoracle

go 1.26.0

require github.com/fluxcd/pkg/envsubst v1.8.0
